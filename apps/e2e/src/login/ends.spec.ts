import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthManager } from 'kit-auth';
import { BOTH, freezeDate, PASSWORD, sharedTestApp, sweepOf, testApp } from 'test-support';
import { describeSessionEnds, listeners, NEW_PASSWORD } from './ends.suite.js';
import { RefreshApp } from '../refresh/app.js';
import { SessionApp } from '../session/app.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const DAY_MS = 24 * 60 * 60_000;

describeSessionEnds('SQLite', () => ({}));
describeSessionEnds('memory', () => ({ store: 'memory' }));

describe.each(sweepOf(BOTH, ['express']))(
  'listeners for the ends of stateless sessions on %s',
  (platform) => {
    it('hear of each, and of ends of all', async () => {
      const { heard, provider } = listeners();
      const session = { mode: 'stateless', secret: SECRET } as const;
      const app = await new SessionApp({ platform, session, providers: [provider] }).start();
      const { id: userId, username } = await app.user();
      const [first, second] = [
        await app.issueToken({ userId, username }),
        await app.issueToken({ userId, username }),
      ];
      const loginId = await app.idOf(first);
      await app.get(AuthManager).logout(first);
      await app.sessions.endAllOf(userId, { exceptId: await app.idOf(second) });
      expect(heard).toEqual([
        { userId, loginId, reason: 'logged-out' },
        { userId, exceptId: await app.idOf(second), reason: 'kicked' },
      ]);
    });
  },
);

describe.each(sweepOf(BOTH, ['express']))(
  'listeners for the ends of logins with refresh tokens on %s',
  (platform) => {
    const { heard, provider } = listeners();
    const app = sharedTestApp(
      new RefreshApp({
        platform,
        admin: true,
        refresh: { maxPerUser: 2, idleDays: 2 },
        providers: [provider],
      }),
    );
    beforeEach(() => {
      heard.length = 0;
    });

    it('hear of logouts, ended tokens and all logins', async () => {
      const user = await app.user();
      const { id: userId } = user;
      const [first, second] = [await app.open(user), await app.open(user)];
      await app.call(first.token, 'POST', 'logout');
      await app.endToken(second.refreshToken);
      const third = await app.open(user);
      const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      await app.open(user);
      expect((await app.call(third.token, 'POST', 'password', body)).status).toBeLessThan(300);
      await app.logins.end(userId, third.id);
      expect(heard).toEqual([
        { userId, loginId: first.id, reason: 'logged-out' },
        { userId, loginId: second.id, reason: 'logged-out' },
        { userId, exceptId: third.id, reason: 'password-changed' },
        { userId, loginId: third.id, reason: 'kicked' },
      ]);
    });

    it('hear of limits, reuse and idle logins', async () => {
      const advance = freezeDate();
      try {
        const user = await app.user();
        const { id: userId } = user;
        const [first, second] = [await app.open(user), await app.open(user)];
        advance(1000);
        const third = await app.open(user);
        expect(heard).toEqual([{ userId, loginId: expect.any(String), reason: 'replaced' }]);
        const alive = heard[0]?.loginId === first.id ? second : first;
        await app.refreshed(alive);
        advance(60_000);
        expect(await app.outcomeOf(alive.refreshToken, 'User-Agent: another')).toBe('40101 reused');
        advance(2 * DAY_MS);
        expect(await app.outcomeOf(third.refreshToken)).toBe('40101 idle');
        expect(await app.outcomeOf(third.refreshToken)).toBe('40101 idle');
        expect(heard.slice(1)).toEqual([
          { userId, loginId: alive.id, reason: 'reused' },
          { userId, loginId: third.id, reason: 'idle' },
        ]);
      } finally {
        jest.useRealTimers();
      }
    });
  },
);

describe('listeners for the ends of logins where none are kept', () => {
  it('hear of changes that end all tokens', async () => {
    const { heard, provider } = listeners();
    const app = await testApp({ admin: true, providers: [provider] });
    const { id: userId, username } = await app.user();
    const token = await app.tokenOf(username);
    expect((await app.call(token, 'POST', 'logout')).status).toBeLessThan(300);
    expect(heard).toEqual([]); // the token is still valid
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await app.call(token, 'POST', 'password', body)).status).toBeLessThan(300);
    const admin = await app.adminToken();
    expect((await app.call(admin, 'PATCH', `users/${userId}`, { status: 'DISABLED' })).status).toBe(200);
    expect(heard).toEqual([
      { userId, reason: 'password-changed' },
      { userId, reason: 'disabled' },
    ]);
  });

  it('are checked at start-up', async () => {
    const { provider } = listeners();
    const useValue = { onEnded: () => undefined };
    await expect(testApp({ providers: [{ ...provider, useValue }] })).rejects.toThrow(
      'Object (of TestModule) does not implement LoginEndListener: it lacks ended.',
    );
  });
});
