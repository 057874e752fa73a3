import { beforeEach, describe, expect, it } from '@jest/globals';
import { AuthManager, LOGIN_END_LISTENER, type LoginEnd } from 'kit-auth';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import type { AuthUser } from 'kit-auth/typeorm';
import { freezeDate, PASSWORD, sharedTestApp, until } from 'test-support';
import { SessionApp } from '../session/app.js';

export const NEW_PASSWORD = 'another one 4712';

/** A list of listeners: one that remembers, and two that fail. */
export function listeners() {
  const heard: LoginEnd[] = [];
  const fails = () => {
    throw new Error('a bad listener');
  };
  const useValue = [
    { ended: fails },
    { ended: async () => fails() },
    { ended: (end: LoginEnd) => void heard.push(end) },
  ];
  return { heard, provider: { provide: LOGIN_END_LISTENER, useValue } };
}

/** What listeners hear of sessions that are stored. */
export function describeSessionEnds(name: string, session: () => KitAuthSessionOptions): void {
  describe(`listeners for the ends of sessions in ${name}`, () => {
    const { heard, provider } = listeners();
    const app = sharedTestApp(
      new SessionApp({
        platform: 'fastify',
        admin: true,
        session: { ...session(), maxPerUser: 2, idleMinutes: 10 },
        providers: [provider],
      }),
    );
    const login = async ({ id: userId, username }: Pick<AuthUser, 'id' | 'username'>) => {
      const token = await app.issueToken({ userId, username });
      return { userId, token, loginId: await app.idOf(token) };
    };
    beforeEach(() => {
      heard.length = 0;
    });

    it('hear of what the code of the application ends, once', async () => {
      const { userId, token, loginId } = await login(await app.user());
      await app.get(AuthManager).logout(token, 'kicked');
      await app.get(AuthManager).logout(token);
      const other = await login(await app.user());
      await app.sessions.end(other.userId, other.loginId);
      await app.sessions.end(other.userId, other.loginId);
      const third = await login(await app.user());
      await app.sessions.endAllOf(third.userId, { exceptId: third.loginId });
      await app.sessions.endAllOf(third.userId, { reason: 'disabled' });
      expect(heard).toEqual([
        { userId, loginId, reason: 'kicked' },
        { userId: other.userId, loginId: other.loginId, reason: 'kicked' },
        { userId: third.userId, reason: 'disabled' },
      ]);
      expect(app.logs.all()).toMatch(/ended\(\) of Object \(of TestModule\) failed.*a bad listener/);
    });

    it('hear of what users and administrators end', async () => {
      const user = await app.user();
      const { userId, token, loginId } = await login(user);
      const { loginId: otherId } = await login(user);
      const { token: admin } = await login({ id: 1, username: 'admin' });
      const call = async (by: string, method: string, path: string, body?: object) =>
        expect((await app.call(by, method, path, body)).status).toBeLessThan(300);
      await call(token, 'DELETE', `sessions/${otherId}`);
      await login(user);
      await call(token, 'DELETE', 'sessions');
      await call(token, 'POST', 'logout');
      const { token: last, loginId: lastId } = await login(user);
      await login(user);
      await call(last, 'POST', 'password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
      await call(admin, 'DELETE', `users/${userId}/sessions/${lastId}`);
      await login(user);
      await call(admin, 'PATCH', `users/${userId}`, { status: 'DISABLED' });
      expect(heard).toEqual([
        { userId, loginId: otherId, reason: 'logged-out' },
        { userId, exceptId: loginId, reason: 'logged-out' },
        { userId, loginId, reason: 'logged-out' },
        { userId, exceptId: lastId, reason: 'password-changed' },
        { userId, loginId: lastId, reason: 'kicked' },
        { userId, reason: 'disabled' },
      ]);
    });

    it('hear which sessions a limit replaces, and POST fresh', async () => {
      const user = await app.user();
      const { userId, token, loginId } = await login(user);
      await login(user);
      expect(heard).toEqual([]);
      const third = await login(user);
      expect((await app.call(third.token, 'POST', 'fresh', { password: PASSWORD })).status).toBe(200);
      expect(await app.stateOf(token)).toBe('40101 replaced');
      expect(heard).toEqual([
        { userId, loginId, reason: 'replaced' },
        { userId, loginId: third.loginId, reason: 'replaced' },
      ]);
    });

    it('hear of idle sessions when a request finds them over', async () => {
      const advance = freezeDate();
      const { userId, token, loginId } = await login(await app.user());
      advance(10 * 60_000);
      expect(await app.stateOf(token)).toBe('40101 idle');
      await until(() => heard[0]); // the answer does not wait for the end to be stored
      expect(await app.stateOf(token)).toBe('40101 idle');
      expect(heard).toEqual([{ userId, loginId, reason: 'idle' }]);
    });
  });
}
