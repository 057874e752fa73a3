import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AuthManager } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { describeAuthProvider } from 'kit-auth-testing';
import { loginUser, sharedDatabase, sharedTestApp, type TestAppOptions } from 'test-support';
import { SessionAuthProvider } from '../../../../packages/kit-auth-session/src/session.provider.js';
import { secretOf, SessionApp } from './app.js';

const SECRET = 'a secret of at least 32 bytes, for tests';

const start = (session: KitAuthSessionOptions = {}, more: TestAppOptions = {}) =>
  new SessionApp({ session, options: { login: { throttle: false } }, ...more }).start();

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

describe('stateless sessions', () => {
  const app = sharedTestApp(new SessionApp({ session: { mode: 'stateless', secret: SECRET } }));

  describeAuthProvider(
    'session-token, stateless',
    { canInvalidate: true, keepsProof: true, sessions: 'ends all' },
    () => ({
      provider: app.get(SessionAuthProvider),
      user: loginUser({ userId: 1, username: 'admin', superAdmin: true, roles: [SUPER_ADMIN] }),
    }),
  );
});
