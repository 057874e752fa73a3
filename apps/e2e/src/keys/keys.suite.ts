import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { withChecksum } from 'kit-auth/tools';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import {
  atOnce,
  freezeDate,
  nameOf,
  PASSWORD,
  type Place,
  sharedInstances,
  type TestAppOptions,
  until,
} from 'test-support';
import { outcomeOf } from '../factors/app.js';
import { type CreatedKey, DAY_MS, KEY_FORM, KeysApp, type KeysAppOptions, secretOf } from './app.js';
import { Statements } from '../database/statements.js';

const MINUTE_MS = 60_000;

/** API keys, with two instances on one database. */
export function describeKeys(place: Place): void {
  describe(`API keys ${nameOf(place)}`, () => {
    const statements = new Statements();
    const [app, second] = sharedInstances(place, (options) => new KeysApp(noting(options, statements)));
    let admin: string;
    let pass: (milliseconds: number) => void;
    let owner: AuthUser;
    let token: string;
    beforeAll(async () => {
      await app.role({ code: 'editor', permissions: ['note:*'] });
      await app.role({ code: 'reader', permissions: ['note:read'] });
      admin = await app.adminToken();
    });
    beforeEach(async () => {
      pass = freezeDate();
      owner = await app.user({ roles: ['editor'] });
      token = await app.tokenOf(owner);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const instance = (i: number) => [app, second][i % 2]!;
    const end = (id: string, as = token) => app.call(as, 'DELETE', `keys/${id}`);

    it('are created, and shown once', async () => {
      const answer = await app.postKey(token, {
        name: 'CI',
        abilities: ['note:read', 'note:*', 'note:read'],
      });
      expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      expect(answer.json).toMatchObject({
        id: expect.stringMatching(/^[0-9a-z]{1,16}$/),
        key: expect.stringMatching(KEY_FORM),
        name: 'CI',
        abilities: ['note:read', 'note:*'],
        createdAt: new Date().toISOString(),
        expiresAt: new Date(Date.now() + 90 * DAY_MS).toISOString(),
      });
      const { key, ...rest } = answer.json as CreatedKey;
      expect(key.split('_')[1]).toBe(rest.id);
      const listed = await second.call(token, 'GET', 'keys');
      expect([listed.status, listed.headers['cache-control'], listed.json]).toEqual([
        200,
        'no-store',
        [{ ...rest, lastUsedAt: null, lastAddress: null }],
      ]);
      expect(listed.text).not.toContain(secretOf({ key }));
      expect(app.heard('key-created', owner)).toHaveLength(1);
      expect(JSON.stringify(app.heard('key-created', owner))).not.toContain(key);
      expect(app.logs.all() + second.logs.all()).not.toContain(key);
    });

    it('say whether the login that created them had shown a second factor', async () => {
      const { id, key } = await app.newKey(token);
      const factorsOf = async () => (await second.request('/v1/notes', { token: key })).json.factors;
      expect([(await app.rowOf({ id })).secondFactor, await factorsOf()]).toEqual([false, ['key']]);
      await app.rowsOf(AuthApiKey).update({ id }, { secondFactor: true });
      expect([(await app.rowOf({ id })).secondFactor, await factorsOf()]).toEqual([true, ['key', 'mfa']]);
    });

    it('call routes within their abilities, on any instance', async () => {
      const { key } = await app.newKey(token);
      const { status, json } = await second.request('/v1/notes', { token: key });
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({
          scheme: 'api-key',
          factors: ['key'],
          userId: owner.id,
          username: owner.username,
          superAdmin: false,
          roles: [],
          permissions: ['note:read'],
        }),
      ]);
      expect((await app.request('/v1/notes', { token: key, method: 'POST' })).json.code).toBe(40304);
      expect(await app.use(key, '/v1/notes/own')).toMatch(/^40304/);
      expect(await app.stateOf(token, '/v1/notes/own')).toBe('live');
    });

    it('need a fresh login, and a body that can be read', async () => {
      expect(outcomeOf(await app.postKey(token, { days: 366 }))).toBe('40000');
      pass(11 * MINUTE_MS);
      expect(outcomeOf(await app.postKey(token))).toMatch(/^40120/);
    });

    it('have no abilities beyond those of their owner', async () => {
      const refused = await app.postKey(token, {
        abilities: ['note:read', 'user:read', '*', 'auth:user:read'],
      });
      expect([refused.json.code, refused.json.missing]).toEqual([
        40300,
        ['user:read', '*', 'auth:user:read'],
      ]);
      expect(await app.idsOf(token)).toEqual([]);
      const { key } = await app.newKey(admin, { abilities: ['*'] });
      const { json } = await app.request('/v1/notes', { token: key });
      expect([json.superAdmin, json.roles, json.permissions]).toEqual([false, [], ['*']]);
    });

    it('end at once, at all instances, for their owner alone', async () => {
      const { id, key } = await app.newKey(token);
      const stranger = await app.tokenOf(await app.user({ roles: ['editor'] }));
      expect(await app.idsOf(stranger)).toEqual([]);
      for (const other of [id, `${id}0`, '%00']) {
        expect([other, (await end(other, stranger)).status]).toEqual([other, 404]);
      }
      expect(await second.use(key)).toBe('live');
      const answer = await end(id);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect([await app.use(key), await second.use(key)]).toEqual(['40101 logged-out', '40101 logged-out']);
      expect(await app.idsOf(token)).toEqual([]);
      expect(outcomeOf(await end(id))).toBe('40400');
      expect(app.heard('key-ended', owner)).toHaveLength(1);
    });

    it('are listed and ended by administrators', async () => {
      const keys = [await app.newKey(token), await app.newKey(token), await app.newKey(token)];
      const path = `users/${owner.id}/keys`;
      const listed = await app.call(admin, 'GET', path);
      expect([listed.status, listed.headers['cache-control']]).toEqual([200, 'no-store']);
      const ids = (listed.json as { id: string }[]).map(({ id }) => id).sort();
      expect(ids).toEqual(keys.map(({ id }) => id).sort());
      expect(keys.filter((key) => listed.text.includes(secretOf(key)))).toEqual([]);
      expect((await app.call(admin, 'DELETE', `${path}/${keys[0]!.id}`)).status).toBe(204);
      expect(await states(keys, second)).toEqual(['40101 kicked', 'live', 'live']);
      expect((await app.call(admin, 'DELETE', path)).status).toBe(204);
      expect(await states(keys, second)).toEqual(['40101 kicked', '40101 kicked', '40101 kicked']);
      expect((await app.call(admin, 'GET', path)).json).toEqual([]);
      const ended = app.heard('key-ended', owner);
      expect(ended[0]).toMatchObject({ actor: 'admin', subject: owner.username });
      const call = async (as: string, method: string, user = owner.id) =>
        outcomeOf(await app.call(as, method, `users/${user}/keys`));
      const [reader, helper] = await Promise.all(
        ['auth:session:read', 'auth:session:*'].map(async (permission) =>
          app.tokenOf(await app.user({ roles: [await app.role({ permissions: [permission] })] })),
        ),
      );
      expect([await call(reader!, 'GET'), await call(reader!, 'DELETE')]).toEqual(['200', '40300']);
      const { id: chief } = await app.administrator();
      expect([await call(helper!, 'DELETE'), await call(helper!, 'DELETE', chief)]).toEqual(['204', '40300']);
      await app.users.update({ id: owner.id }, { status: AuthUserStatus.DISABLED });
      expect([await call(helper!, 'GET'), await call(admin, 'GET')]).toEqual(['40400', '40400']);
      expect(outcomeOf(await app.call(admin, 'DELETE', `users/${chief}/keys/${keys[0]!.id}`))).toBe('40400');
    });

    it('live on when the password is changed, unless the user wants them to end', async () => {
      const { key } = await app.newKey(token);
      const change = (newPassword: string, endKeys?: unknown, currentPassword = PASSWORD) =>
        app.call(token, 'POST', 'password', { currentPassword, newPassword, endKeys });
      expect(outcomeOf(await change('another fine one 4712', 'true'))).toBe('40000');
      expect((await change('another fine one 4712')).status).toBe(204);
      expect(await second.use(key)).toBe('live');
      await app.users.update({ id: owner.id }, { mustChangePassword: true });
      expect(await second.use(key)).toMatch(/^40301/);
      token = await app.tokenOf(owner, 'another fine one 4712');
      expect((await change('yet another one 4713', true, 'another fine one 4712')).status).toBe(204);
      expect([await app.use(key), await second.use(key)]).toEqual(Array(2).fill('40101 password-changed'));
      const { key: other } = await app.newKey(await app.tokenOf(owner, 'yet another one 4713'));
      const json = { newPassword: 'another fine one 4712' };
      expect((await app.call(admin, 'POST', `users/${owner.id}/password`, json)).status).toBe(204);
      expect(await second.use(other)).toBe('40101 password-changed');
    });

    it('end when an administrator ends all sessions, unless that spares them', async () => {
      const { key } = await app.newKey(token);
      const path = `users/${owner.id}/sessions`;
      const { status, json } = await app.call(admin, 'DELETE', `${path}?endKeys=false`);
      if (status === 501) {
        expect(json.code).toBe(50100);
        expect(await second.use(key)).toBe('live');
        return;
      }
      expect([status, await second.use(key)]).toEqual([204, 'live']);
      expect(outcomeOf(await app.call(admin, 'DELETE', `${path}?endKeys=no`))).toBe('40000');
      expect((await app.call(admin, 'DELETE', path)).status).toBe(204);
      expect([await app.use(key), await second.use(key)]).toEqual(['40101 kicked', '40101 kicked']);
    });

    it('are fifty a user, however many are created at once', async () => {
      const { id } = await app.newKey(token);
      const row = await app.rowOf({ id });
      const rows = Array.from({ length: 51 }, (_, i) => ({ ...row, id: `${owner.id.toString(36)}x${i}` }));
      // One has ended, one is over: neither counts.
      Object.assign(rows[0]!, { endedBy: 'logged-out' });
      Object.assign(rows[1]!, { expiresAt: Date.now() - 1 });
      await app.rowsOf(AuthApiKey).insert(rows.slice(0, 50));
      const answers = await atOnce([app, second], 20, (i) => instance(i).postKey(token));
      expect(answers.map(outcomeOf).sort()).toEqual(['201', ...Array<string>(19).fill('40900')]);
      expect(await app.idsOf(token)).toHaveLength(50);
      expect((await end(id)).status).toBe(204);
      expect(outcomeOf(await second.postKey(token))).toBe('201');
    });

    it('note when they were used, once for many requests at once', async () => {
      const { id, key } = await app.newKey(token);
      await app.use(key, '/v1/notes/own');
      expect(await app.rowOf({ id })).toMatchObject({ lastUsedAt: null, lastAddress: null });
      const noted = async () => (await app.rowOf({ id })).lastUsedAt;
      const notedNow = () => until(async () => ((await noted()) === Date.now() ? true : undefined));
      const writes = await statements.of(async () => {
        expect(new Set(await atOnce([app], 20, () => app.use(key)))).toEqual(new Set(['live']));
        await notedNow();
      });
      expect(writes.filter((text) => /^UPDATE.*auth_api_key/i.test(text))).toHaveLength(1);
      expect(await app.rowOf({ id })).toMatchObject({ lastAddress: '127.0.0.1' });
      const [listed] = (await app.call(token, 'GET', 'keys')).json as { lastUsedAt: string }[];
      expect(listed?.lastUsedAt).toBe(new Date().toISOString());
    });

    it('are looked up with one statement a request, known or not, and with none when their checksum is wrong', async () => {
      const { id, key } = await app.newKey(token);
      await app.use(key);
      await app.use(key, '/v1/notes/own'); // The first refusal is an event.
      await until(async () => (await app.rowOf({ id })).lastUsedAt ?? undefined);
      expect(await statements.of(() => app.use(key))).toHaveLength(1);
      const body = `kapk_${'0'.repeat(13)}_${'A'.repeat(43)}`;
      expect(await statements.of(() => app.use(withChecksum(body)))).toHaveLength(1);
      expect(await statements.of(() => app.use(key, '/v1/notes/own'))).toHaveLength(1);
      for (const wrong of [
        key.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
        `kapk_${'x'.repeat(12_000)}`,
      ]) {
        expect(await statements.of(() => app.use(wrong))).toEqual([]);
      }
    });

    it('with a right checksum, and nothing else that is right, are 40101', async () => {
      const [one, other] = [await app.newKey(token), await app.newKey(token)];
      const secret = secretOf(one);
      const flipped = (secret.startsWith('A') ? 'B' : 'A') + secret.slice(1);
      const row = await app.rowOf(one);
      const dump = JSON.stringify(row);
      expect([dump.includes(secret), dump.includes(one.key)]).toEqual([false, false]);
      for (const body of [
        `kapk_${one.id}_${flipped}`,
        `kapk_${other.id}_${secret}`,
        `kapk_${'z'.repeat(13)}_${secret}`,
      ]) {
        expect([body, await app.codeOf(withChecksum(body), '/v1/notes')]).toEqual([body, 40101]);
      }
      expect(await app.use(one.key)).toBe('live');
    });

    it('are 50300 while their table is away', async () => {
      const { key } = await app.newKey(token);
      const rows = app.rowsOf(AuthApiKey);
      await rows.query('ALTER TABLE auth_api_key RENAME TO away');
      const answer = await app.request('/v1/notes', { token: key });
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 50300, '1']);
      expect(outcomeOf(await app.postKey(token))).toBe('50300');
      await rows.query('ALTER TABLE away RENAME TO auth_api_key');
      expect(await app.use(key)).toBe('live');
      expect(app.logs.all() + second.logs.all()).not.toContain(key);
    });

    it('that are refused are told of once in an hour, by key and route', async () => {
      const [{ key }, { key: other }] = [await app.newKey(token), await app.newKey(token)];
      for (const path of ['/v1/notes/own', '/v1/notes/own']) {
        await app.use(key, path);
      }
      expect(app.heard('key-refused', owner)).toHaveLength(1);
      expect(app.heard('key-refused', owner)[0]).toMatchObject({
        success: false,
        address: '127.0.0.1',
        detail: expect.stringContaining('NotesController.own'),
      });
      await app.use(other, '/v1/notes/own');
      await app.use(key, '/v1/api/auth/me');
      expect(app.heard('key-refused', owner)).toHaveLength(3);
    });
  });
}

/** The application runs on a database whose statements are noted. */
function noting(options: TestAppOptions, statements: Statements): KeysAppOptions {
  const { database } = options as { database: object };
  return 'recreate' in database ? { ...options, database: statements.on(database as never) } : options;
}

const states = (keys: readonly CreatedKey[], app: KeysApp) =>
  Promise.all(keys.map(({ key }) => app.use(key)));
