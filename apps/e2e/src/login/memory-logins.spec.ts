import { describe, expect, it, jest } from '@jest/globals';
import { AUTH_LOGINS, type AuthLogins, AuthManager } from 'kit-auth';
import { describeLogins } from 'kit-auth-testing';
import { loginUser, PASSWORD, sharedTestApp } from 'test-support';
import { MemoryLoginsModule } from './memory-logins.js';

/** What they are asked: `active.provider.spec.ts` of kit-auth. What start-up refuses: its `ports.spec.ts`. */
describe('logins that outlive their tokens', () => {
  const app = sharedTestApp({ admin: true, imports: [MemoryLoginsModule] });
  const logins = () => app.get<AuthLogins>(AUTH_LOGINS);

  describeLogins('in memory', { checksWithoutPromise: true }, () => ({
    logins: logins(),
    users: [loginUser({ userId: 1001 }), loginUser({ userId: 1002, username: 'grace' })],
  }));

  it('add members to the answer of a login', async () => {
    const { username } = await app.user();
    const { json } = await app.login(username);
    expect(json).toEqual({
      token: expect.any(String),
      user: expect.objectContaining({ username }),
      refreshToken: expect.any(String),
      expiresAt: expect.any(Number),
    });
    const byCode = await app.get(AuthManager).login(username, PASSWORD);
    expect(await app.stateOf(byCode.token)).toBe('live');
  });

  it('are listed, and end as sessions do', async () => {
    const user = await app.user();
    const tokens: string[] = [];
    for (let i = 0; i < 5; i++) {
      tokens.push(await app.tokenOf(user));
    }
    const [first, second, third, fourth, own] = tokens as [string, string, string, string, string];
    const { json } = await app.call(own, 'GET', 'sessions');
    expect(json.map(({ current }: { current: boolean }) => current)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect((await app.call(own, 'DELETE', `sessions/${json[0].id}`)).status).toBe(204);
    expect((await app.call(own, 'DELETE', `sessions/${json[0].id}`)).json.code).toBe(40400);
    expect((await app.call(second, 'POST', 'logout')).status).toBe(204);
    expect([await app.stateOf(first), await app.stateOf(second)]).toEqual([
      '40101 logged-out',
      '40101 logged-out',
    ]);
    const change = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    expect((await app.call(third, 'POST', 'password', change)).status).toBe(204);
    expect([await app.stateOf(third), await app.stateOf(fourth)]).toEqual(['live', '40101 password-changed']);
    expect((await app.call(await app.adminToken(), 'DELETE', `users/${user.id}/sessions`)).status).toBe(204);
    expect(await app.stateOf(third)).toBe('40101 kicked');
  });

  it('are required: a token that belongs to no login is refused', async () => {
    const { id, username } = await app.user();
    expect(await app.codeOf(await app.issueToken({ userId: id, username }))).toBe(40101);
  });

  it('are answered with 50300 when their check fails', async () => {
    const token = await app.adminToken();
    jest.spyOn(logins(), 'check').mockImplementation(() => Promise.reject(new Error('broken')));
    expect(await app.codeOf(token)).toBe(50300);
    jest.restoreAllMocks();
  });
});
