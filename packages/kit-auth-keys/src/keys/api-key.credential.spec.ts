import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { AuthEvents, RequirePermissions } from 'kit-auth';
import { describeCredential } from 'kit-auth-testing';
import type { AuthUser } from 'kit-auth/typeorm';
import { freezeDate, sharedTestApp, testApp } from 'test-support';
import { DataSource } from 'typeorm';
import { KitAuthKeysModule } from '../kit-auth-keys.module.js';
import { AuthApiKey } from '../stores/auth-api-key.entity.js';
import { KeyStore } from '../stores/key.store.js';
import { type ActingKey, actingWithKey } from '../testing.js';
import { ApiKeyCredential } from './api-key.credential.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }
}

const modules = (cacheSeconds: number) => ({
  imports: [KitAuthKeysModule.forRoot({ cacheSeconds, maxPerUser: 1000 })],
  controllers: [NotesController],
  admin: true,
});

describe.each([0, 60])('API keys that are cached for %d seconds', (cacheSeconds) => {
  const app = sharedTestApp(modules(cacheSeconds));
  let ada: AuthUser;
  let key: ActingKey;
  let pass: (milliseconds: number) => void;
  beforeAll(async () => {
    await app.role({ code: 'reader', permissions: ['note:read'] });
    ada = await app.user({ username: 'ada', roles: ['reader'] });
  });
  beforeEach(async () => {
    pass = freezeDate();
    key = await actingWithKey(app.nest, 'ada', ['note:read']);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const stateOf = () => app.stateOf(key.key, '/v1/notes');

  describeCredential('api-key', () => ({
    credential: app.get(ApiKeyCredential),
    newToken: async () => (await actingWithKey(app.nest, 'ada', ['note:read'])).key,
    userId: ada.id,
  }));

  it('work for that long after another process has ended them', async () => {
    expect(await stateOf()).toBe('live');
    await app.rowsOf(AuthApiKey).update({ id: key.id }, { endedBy: 'kicked' });
    pass(cacheSeconds * 1000 - 1);
    expect(await stateOf()).toBe(cacheSeconds === 0 ? '40101 kicked' : 'live');
    pass(1);
    expect(await stateOf()).toBe('40101 kicked');
  });

  it('end at once in the process that ends them', async () => {
    const token = await app.tokenOf(ada);
    expect(await stateOf()).toBe('live');
    expect((await app.call(token, 'DELETE', `keys/${key.id}`)).status).toBe(204);
    expect(await stateOf()).toBe('40101 logged-out');
  });

  it('are no longer valid once an administrator changes what their owner may do', async () => {
    const admin = await app.adminToken();
    const user = await app.user({ roles: ['reader'] });
    key = await actingWithKey(app.nest, { userId: user.id }, ['note:read']);
    expect(await stateOf()).toBe('live');
    await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] });
    expect(await stateOf()).toMatch(/^40304/);
    await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: ['reader'] });
    expect(await stateOf()).toBe('live');
    await app.call(admin, 'PATCH', `users/${user.id}`, { status: 'DISABLED' });
    expect(await stateOf()).toBe('40101 disabled');
    await app.call(admin, 'DELETE', `users/${user.id}`);
    expect(await stateOf()).toBe('40101 disabled');
  });

  it('end with a reset of the password by code of the application', async () => {
    expect(await stateOf()).toBe('live');
    const events = app.get(AuthEvents);
    const reset = { type: 'password-reset', subjectId: ada.id, subject: ada.username } as const;
    const event = await app.get(DataSource).transaction((manager) => events.begin().keep(reset, manager));
    events.emit(event);
    expect(await stateOf()).toBe('40101 password-changed');
  });

  it('are not cached by a look-up that an end overtakes', async () => {
    const token = await app.tokenOf(ada);
    const store = app.get(KeyStore);
    const find = store.find.bind(store);
    const finding = jest.spyOn(store, 'find').mockImplementationOnce(async (id) => {
      const found = await find(id);
      await app.call(token, 'DELETE', `keys/${id}`);
      return found;
    });
    expect(await stateOf()).toBe('live');
    finding.mockRestore();
    expect(await stateOf()).toBe('40101 logged-out');
  });

  it('work also if their use cannot be noted', async () => {
    const touching = jest.spyOn(app.get(KeyStore), 'touch').mockRejectedValueOnce(new Error('read-only'));
    expect(await stateOf()).toBe('live');
    expect(touching).toHaveBeenCalledTimes(1);
    touching.mockRestore();
    expect(app.logs.all()).toContain('the use of a key was not recorded: Error: read-only');
  });

  it('expire on time', async () => {
    pass(DAY_MS - 1);
    expect(await stateOf()).toBe('live');
    pass(1);
    expect(await stateOf()).toBe('40101 expired');
  });

  it('are deleted a month after their end', async () => {
    const rows = app.rowsOf(AuthApiKey);
    const store = app.get(KeyStore);
    const other = await actingWithKey(app.nest, 'ada', ['note:read']);
    await app.call(await app.tokenOf(ada), 'DELETE', `keys/${key.id}`);
    pass(30 * DAY_MS - 1);
    await store.prune();
    expect(await rows.existsBy({ id: key.id })).toBe(true);
    pass(1);
    await store.prune();
    expect([await rows.existsBy({ id: key.id }), await rows.existsBy({ id: other.id })]).toEqual([
      false,
      true,
    ]);
    expect(await stateOf()).toBe('40101 undefined');
    pass(DAY_MS);
    await store.prune();
    expect(await rows.existsBy({ id: other.id })).toBe(false);
  });
});

describe('API keys of an application without a limit of days', () => {
  it('may never end, and the application is warned at each start', async () => {
    const app = await testApp({
      imports: [KitAuthKeysModule.forRoot({ maxDays: 'unlimited' })],
      controllers: [NotesController],
    });
    expect(app.logs.all()).toContain('KEYS MAY NEVER END');
    const role = await app.role({ permissions: ['note:read'] });
    const token = await app.tokenOf(await app.user({ roles: [role] }));
    const create = async (body: object) =>
      (await app.call(token, 'POST', 'keys', { name: 'CI', abilities: ['note:read'], ...body })).json;
    const { key, id, expiresAt } = await create({ days: null });
    expect(expiresAt).toBeNull();
    expect(new Date((await create({})).expiresAt as string).getTime()).toBeGreaterThan(
      Date.now() + 89 * DAY_MS,
    );
    expect((await create({ days: 36_501 })).code).toBe(40000);
    freezeDate()(5000 * DAY_MS);
    await app.get(KeyStore).prune();
    expect(await app.stateOf(key, '/v1/notes')).toBe('live');
    jest.useRealTimers();
    expect((await app.call(token, 'DELETE', `keys/${id}`)).status).toBe(204);
    expect(await app.stateOf(key, '/v1/notes')).toBe('40101 logged-out');
  });
});
