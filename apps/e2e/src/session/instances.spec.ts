import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AuthManager } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { describeAuthProvider } from 'kit-auth-testing';
import { BOTH, loginUser, sharedDatabase, sharedTestApp, type TestAppOptions } from 'test-support';
import { SessionAuthProvider } from '../../../../packages/kit-auth-session/src/session.provider.js';
import { secretOf, SessionApp } from './app.js';

const SECRET = 'a secret of at least 32 bytes, for tests';

const start = (session: KitAuthSessionOptions = {}, more: TestAppOptions = {}) =>
  new SessionApp({ session, options: { login: { throttle: false } }, ...more }).start();

describe('sessions', () => {
  it('are known to the request that they belong to', async () => {
    const app = await start();
    const user = await app.user();
    const [first, second] = [await app.tokenOf(user.username), await app.tokenOf(user.username)];
    const current = [await app.idOf(first), await app.idOf(second)];
    const ids = (await app.sessions.listOf(user.id)).map(({ id }) => id);
    expect(current.sort()).toEqual(ids.sort());
    expect(app.sessions.currentId()).toBeUndefined();
  });

  it('are refused beyond maxPerUser with overflow refuse, and replaced without it', async () => {
    const database = sharedDatabase('sqlite');
    const strict = await start({ maxPerUser: 1, overflow: 'refuse' }, { database });
    const { username } = await strict.user();
    const token = await strict.tokenOf(username);
    const refused = await strict.login(username);
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([403, 40300, 'session-limit']);
    const lenient = await start({ maxPerUser: 1 }, { database });
    await lenient.tokenOf(username);
    expect(await strict.stateOf(token)).toBe('40101 replaced');
  });
});

describe('two instances over one database', () => {
  it('agree at once, also after a restart, and the file holds no token', async () => {
    const database = sharedDatabase('sqlite');
    const { options } = database;
    const restarted = () => start({}, { database: { ...options, synchronize: false } });
    const [one, two] = [await start({}, { database }), await restarted()];
    const user = await one.user();
    const token = await one.tokenOf(user.username);
    const other = await two.tokenOf(user.username);
    expect([await two.stateOf(token), await one.stateOf(other)]).toEqual(['live', 'live']);
    await two.get(AuthManager).logout(token);
    expect(await one.stateOf(token)).toBe('40101 logged-out');
    const third = await restarted();
    expect([await third.stateOf(token), await third.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    const directory = dirname(options.database as string);
    const content = readdirSync(directory)
      .map((name) => readFileSync(`${directory}/${name}`, 'latin1'))
      .join('');
    for (const text of [token, other, secretOf(token), secretOf(other)]) {
      expect(content).not.toContain(text);
    }
    for (const { logs } of [one, two, third]) {
      expect(logs.all()).not.toContain(token);
    }
  });
});

describe.each(BOTH)('stateless sessions on %s', (platform) => {
  const app = sharedTestApp(new SessionApp({ platform, session: { mode: 'stateless', secret: SECRET } }));

  it('end one by one, and all except one, but cannot be listed', async () => {
    const user = await app.user();
    const [token, other] = [await app.tokenOf(user.username), await app.tokenOf(user.username)];
    expect(token).toMatch(/^kass1_[\w-]{8}_[\w-]{91,}$/);
    expect([await app.stateOf(token), await app.stateOf(other)]).toEqual(['live', 'live']);
    const exceptId = await app.idOf(token);
    await app.sessions.endAllOf(user.id, { exceptId, reason: 'password-changed' });
    expect([await app.stateOf(token), await app.stateOf(other)]).toEqual(['live', '40101 password-changed']);
    await expect(app.sessions.listOf(user.id)).rejects.toMatchObject({ code: 50100 });
    await expect(app.sessions.end(user.id, exceptId)).rejects.toMatchObject({ code: 50100 });
    await app.get(AuthManager).logout(token);
    expect(await app.stateOf(token)).toBe('40101 logged-out');
  });

  describeAuthProvider(
    'session-token, stateless',
    { canInvalidate: true, keepsProof: true, sessions: 'ends all' },
    () => ({
      provider: app.get(SessionAuthProvider),
      user: loginUser({ userId: 1, username: 'admin', superAdmin: true, roles: [SUPER_ADMIN] }),
    }),
  );
});
