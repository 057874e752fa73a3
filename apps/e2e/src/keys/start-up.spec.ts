import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AUTH_CREDENTIAL, IllegalStateException, KitAuthModule } from 'kit-auth';
import { KitAuthKeysModule, type KitAuthKeysOptions } from 'kit-auth-keys';
import {
  BOTH,
  CapableUsersModule,
  freezeDate,
  PlainUsersModule,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { outcomeOf } from '../factors/app.js';
import { DAY_MS, KeysApp } from './app.js';
import { Statements } from '../database/statements.js';

const withKeys = (keys: KitAuthKeysOptions, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthKeysModule.forRoot(keys), ...(rest.imports ?? [])] });

function moduleWith(prefix: string) {
  const credential = { prefix, scheme: 'invoice-key', resolve: () => undefined };
  class InvoiceModule {}
  Module({ providers: [{ provide: AUTH_CREDENTIAL, useValue: credential }] })(InvoiceModule);
  return InvoiceModule;
}

afterEach(() => {
  jest.useRealTimers();
});

describe('start-up with kit-auth-keys', () => {
  it.each(['kapk_', 'kap', 'kapk_invoice_'])(
    'fails with another credential with the prefix %s, naming both',
    async (prefix) => {
      const starting = withKeys({}, { imports: [moduleWith(prefix)] });
      await expect(starting).rejects.toThrow(IllegalStateException);
      await expect(starting).rejects.toThrow(/(?=.*"api-key")(?=.*"invoice-key")/);
    },
  );

  it.each<[KitAuthKeysOptions, RegExp]>([
    [{ maxDays: 366 }, /kit\.auth\.keys\.maxDays must be/],
    [{ defaultDays: 0 }, /kit\.auth\.keys\.defaultDays must be/],
    [{ maxPerUser: 0 }, /kit\.auth\.keys\.maxPerUser must be/],
    [{ cacheSeconds: 301 }, /kit\.auth\.keys\.cacheSeconds must be/],
  ])('fails with the options %j', async (options, message) => {
    await expect(withKeys(options)).rejects.toThrow(message);
  });

  it('fails with two imports, and without the table', async () => {
    await expect(withKeys({}, { imports: [KitAuthKeysModule.forRoot({})] })).rejects.toThrow(
      /both resolve tokens that begin with "kapk_"\. .*import their module once/,
    );
    const starting = withKeys(
      {},
      {
        database: { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true },
        core: KitAuthModule.forRoot({ users: CapableUsersModule }),
      },
    );
    await expect(starting).rejects.toThrow(/the table auth_api_key is missing/);
  });

  it('answers 404 while kit.auth.enabled is false, and needs nothing', async () => {
    const app = await testApp({
      database: false,
      core: KitAuthModule.forRoot({ enabled: false, users: PlainUsersModule }),
      imports: [KitAuthKeysModule],
    });
    expect((await app.call(undefined, 'GET', 'keys')).status).toBe(404);
    expect((await app.call(undefined, 'GET', 'users/1/keys')).status).toBe(404);
  });

  it('warns of keys that never end with every start, and makes them on demand', async () => {
    const pass = freezeDate();
    const app = await new KeysApp({ keys: { maxDays: 'unlimited' } }).start();
    expect(
      app.logs.lines.filter(({ level, text }) => level === 'warn' && /NEVER END/.test(text)),
    ).toHaveLength(1);
    const token = await app.adminToken();
    const never = await app.postKey(token, { days: null, abilities: ['*'] });
    const usual = await app.postKey(token);
    expect([never.json.expiresAt, usual.json.expiresAt]).toEqual([
      null,
      new Date(Date.now() + 90 * DAY_MS).toISOString(),
    ]);
    expect(outcomeOf(await app.postKey(token, { days: 'never' }))).toBe('40000');
    pass(20 * 365 * DAY_MS);
    expect([await app.use(never.json.key), await app.use(usual.json.key)]).toEqual(['live', '40101 expired']);
  });
});

describe.each(BOTH)('cacheSeconds on %s', (platform) => {
  it('spares look-ups, and lets nothing outlive an end in this process', async () => {
    const pass = freezeDate();
    const statements = new Statements();
    const app = await new KeysApp({
      platform,
      keys: { cacheSeconds: 60 },
      database: statements.on(),
    }).start();
    const role = await app.role({ permissions: ['note:read'] });
    const owner = await app.user({ roles: [role] });
    const token = await app.tokenOf(owner);
    const keys = [await app.newKey(token), await app.newKey(token), await app.newKey(token)];
    const [key, other, third] = keys.map((key) => key.key) as [string, string, string];
    expect([await app.use(key), await app.use(other), await app.use(third)]).toEqual([
      'live',
      'live',
      'live',
    ]);
    pass(59_000);
    const reads = (await statements.of(() => app.use(key))).filter((text) => /^SELECT/i.test(text));
    expect(reads).toEqual([]);
    expect((await app.call(token, 'DELETE', `keys/${keys[0]!.id}`)).status).toBe(204);
    expect(await app.use(key)).toBe('40101 logged-out');
    const admin = await app.adminToken();
    expect((await app.call(admin, 'DELETE', `users/${owner.id}/keys/${keys[1]!.id}`)).status).toBe(204);
    expect(await app.use(other)).toBe('40101 kicked');
    expect(await app.use(third)).toBe('live');
    await app.call(admin, 'PATCH', `users/${owner.id}`, { status: 'DISABLED' });
    expect(await app.use(third)).toBe('40101 disabled');
    await app.call(admin, 'PATCH', `users/${owner.id}`, { status: 'ENABLED' });
    await app.use(third);
    pass(61_000);
    await app.roles.update({ id: role.id }, { permissions: [] });
    expect(await app.use(third)).toMatch(/^40/);
  });

  it('never exceeds the end of a key', async () => {
    const pass = freezeDate();
    const app = await new KeysApp({ platform, keys: { cacheSeconds: 300 } }).start();
    const { key } = await app.newKey(await app.adminToken(), { days: 1 });
    pass(DAY_MS - 1000);
    expect(await app.use(key)).toBe('live');
    pass(1000);
    expect(await app.use(key)).toBe('40101 expired');
  });
});
