import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthManager, LOGIN_END_LISTENER, type LoginEnd } from 'kit-auth';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { BOTH, type DatabaseName, freezeDate, PASSWORD, sharedTestApp, sweepOf, until } from 'test-support';
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
export function describeSessionEnds(
  name: string,
  session: () => KitAuthSessionOptions,
  database: DatabaseName = 'sqlite',
): void {
  describe.each(sweepOf(BOTH, ['fastify']))(
    `listeners for the ends of sessions in ${name} on %s`,
    (platform) => {
      const { heard, provider } = listeners();
      const app = sharedTestApp(
        new SessionApp({
          platform,
          database,
          admin: true,
          session: { ...session(), maxPerUser: 2, idleMinutes: 10 },
          providers: [provider],
        }),
      );
      const login = async () => {
        const user = await app.user();
        const token = await app.issueToken({ userId: user.id, username: user.username });
        return { user, userId: user.id, token, loginId: await app.idOf(token) };
      };
      beforeEach(() => {
        heard.length = 0;
      });

      it('hear of a logout, once', async () => {
        const { userId, token, loginId } = await login();
        expect((await app.call(token, 'POST', 'logout')).status).toBeLessThan(300);
        expect(heard).toEqual([{ userId, loginId, reason: 'logged-out' }]);
        await app.get(AuthManager).logout(token);
        expect(heard).toHaveLength(1);
        expect(app.logs.all()).toMatch(/ended\(\) of Object \(of TestModule\) failed.*a bad listener/);
      });

      it('hear of AuthManager.logout() and SessionManager', async () => {
        const { userId, token, loginId } = await login();
        await app.get(AuthManager).logout(token, 'kicked');
        const other = await login();
        await app.sessions.end(other.userId, other.loginId);
        await app.sessions.end(other.userId, other.loginId);
        const third = await login();
        await app.sessions.endAllOf(third.userId, { exceptId: third.loginId });
        await app.sessions.endAllOf(third.userId, { reason: 'disabled' });
        expect(heard).toEqual([
          { userId, loginId, reason: 'kicked' },
          { userId: other.userId, loginId: other.loginId, reason: 'kicked' },
          { userId: third.userId, reason: 'disabled' },
        ]);
      });

      it('hear of what users and administrators end', async () => {
        const { user, userId, token, loginId } = await login();
        const other = await app.issueToken({ userId, username: user.username });
        const otherId = await app.idOf(other);
        expect((await app.call(token, 'DELETE', `sessions/${otherId}`)).status).toBeLessThan(300);
        await app.issueToken({ userId, username: user.username });
        expect((await app.call(token, 'DELETE', 'sessions')).status).toBeLessThan(300);
        const admin = await app.issueToken({ userId: 1, username: 'admin' });
        expect((await app.call(admin, 'DELETE', `users/${userId}/sessions/${loginId}`)).status).toBeLessThan(
          300,
        );
        expect(heard).toEqual([
          { userId, loginId: otherId, reason: 'logged-out' },
          { userId, exceptId: loginId, reason: 'logged-out' },
          { userId, loginId, reason: 'kicked' },
        ]);
      });

      it('hear of a changed password, and of a disabled account', async () => {
        const { user, userId, token, loginId } = await login();
        await app.issueToken({ userId, username: user.username });
        const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
        expect((await app.call(token, 'POST', 'password', body)).status).toBeLessThan(300);
        const admin = await app.issueToken({ userId: 1, username: 'admin' });
        expect((await app.call(admin, 'PATCH', `users/${userId}`, { status: 'DISABLED' })).status).toBe(200);
        expect(heard).toEqual([
          { userId, exceptId: loginId, reason: 'password-changed' },
          { userId, reason: 'disabled' },
        ]);
      });

      it('hear which sessions a limit replaces, and POST fresh', async () => {
        const { user, userId, token, loginId } = await login();
        await app.issueToken({ userId, username: user.username });
        expect(heard).toEqual([]);
        const third = await app.issueToken({ userId, username: user.username });
        const thirdId = await app.idOf(third);
        expect((await app.call(third, 'POST', 'fresh', { password: PASSWORD })).status).toBe(200);
        expect(await app.stateOf(token)).toBe('40101 replaced');
        expect(heard).toEqual([
          { userId, loginId, reason: 'replaced' },
          { userId, loginId: thirdId, reason: 'replaced' },
        ]);
      });

      it('hear of idle sessions when a request finds them over', async () => {
        const advance = freezeDate();
        try {
          const { userId, token, loginId } = await login();
          advance(10 * 60_000);
          expect(heard).toEqual([]);
          expect(await app.stateOf(token)).toBe('40101 idle');
          await until(() => heard[0]); // the answer does not wait for the end to be stored
          expect(await app.stateOf(token)).toBe('40101 idle');
          await app.sessions.listOf(userId);
          expect(heard).toEqual([{ userId, loginId, reason: 'idle' }]);
        } finally {
          jest.useRealTimers();
        }
      });
    },
  );
}
