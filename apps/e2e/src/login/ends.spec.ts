import { expect, it, describe } from '@jest/globals';
import { AuthManager, LOGIN_END_LISTENER } from 'kit-auth';
import { PASSWORD, testApp } from 'test-support';
import { describeSessionEnds, listeners, NEW_PASSWORD } from './ends.suite.js';
import { RefreshApp } from '../refresh/app.js';
import { SessionApp } from '../session/app.js';

const BODY = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };

describeSessionEnds('SQLite', () => ({}));
describeSessionEnds('memory', () => ({ store: 'memory' }));

describe('listeners for the ends of', () => {
  it('stateless sessions hear of each, and of ends of all', async () => {
    const { heard, provider } = listeners();
    const session = { mode: 'stateless', secret: 's'.repeat(32) } as const;
    const app = await new SessionApp({ session, providers: [provider] }).start();
    const { id: userId, username } = await app.user();
    const [first, second] = [
      await app.issueToken({ userId, username }),
      await app.issueToken({ userId, username }),
    ];
    const [loginId, exceptId] = [await app.idOf(first), await app.idOf(second)];
    await app.get(AuthManager).logout(first);
    await app.sessions.endAllOf(userId, { exceptId });
    expect(heard).toEqual([
      { userId, loginId, reason: 'logged-out' },
      { userId, exceptId, reason: 'kicked' },
    ]);
  });

  it('logins with refresh tokens hear of limits, logouts, ended tokens and all logins', async () => {
    const { heard, provider } = listeners();
    const app = await new RefreshApp({ refresh: { maxPerUser: 2 }, providers: [provider] }).start();
    const user = await app.user();
    const { id: userId } = user;
    const [first, second] = [await app.open(user), await app.open(user)];
    await app.call(first.token, 'POST', 'logout');
    await app.endToken(second.refreshToken);
    const third = await app.open(user);
    await app.open(user);
    expect((await app.call(third.token, 'POST', 'password', BODY)).status).toBeLessThan(300);
    await app.logins.end(userId, third.id);
    const opened = [await app.open(user), await app.open(user), await app.open(user)];
    expect(heard).toEqual([
      { userId, loginId: first.id, reason: 'logged-out' },
      { userId, loginId: second.id, reason: 'logged-out' },
      { userId, exceptId: third.id, reason: 'password-changed' },
      { userId, loginId: third.id, reason: 'kicked' },
      { userId, loginId: expect.any(String), reason: 'replaced' },
    ]);
    expect(opened.map(({ id }) => id)).toContain(heard.at(-1)?.loginId);
  });

  it('logins where none are kept hear of changes that end all tokens', async () => {
    const { heard, provider } = listeners();
    const app = await testApp({ admin: true, providers: [provider] });
    const { id: userId, username } = await app.user();
    const token = await app.tokenOf(username);
    expect((await app.call(token, 'POST', 'logout')).status).toBeLessThan(300);
    expect(heard).toEqual([]); // the token is still valid
    expect((await app.call(token, 'POST', 'password', BODY)).status).toBeLessThan(300);
    const admin = await app.adminToken();
    expect((await app.call(admin, 'PATCH', `users/${userId}`, { status: 'DISABLED' })).status).toBe(200);
    expect(heard).toEqual([
      { userId, reason: 'password-changed' },
      { userId, reason: 'disabled' },
    ]);
  });

  it('logins are checked at start-up', async () => {
    const provider = { provide: LOGIN_END_LISTENER, useValue: { onEnded: () => undefined } };
    await expect(testApp({ providers: [provider] })).rejects.toThrow(
      'Object (of TestModule) does not implement LoginEndListener: it lacks ended.',
    );
  });
});
