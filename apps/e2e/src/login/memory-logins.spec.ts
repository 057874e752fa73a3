import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import {
  AUTH_LOGINS,
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthLogins,
  AuthManager,
  type AuthProvider,
  type AuthUserStore,
  IllegalStateException,
  type LoginUser,
} from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import { describeLogins } from 'kit-auth-testing';
import { BOTH, freezeDate, loginUser, PASSWORD, sharedTestApp, sweepOf, testApp } from 'test-support';
import { MemoryLoginsModule } from './memory-logins.js';

describe.each(sweepOf(BOTH, ['express']))('logins that outlive their tokens on %s', (platform) => {
  const app = sharedTestApp({ platform, admin: true, imports: [MemoryLoginsModule] });
  let ada: AuthUser;
  beforeAll(async () => {
    ada = await app.user();
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const sessionsOf = async (token: string) => (await app.call(token, 'GET', 'sessions')).json;

  describeLogins('in memory', { checksWithoutPromise: true }, () => ({
    logins: app.get<AuthLogins>(AUTH_LOGINS),
    users: [loginUser({ userId: 1001 }), loginUser({ userId: 1002, username: 'grace' })],
  }));

  it('add members to the answer of a login', async () => {
    const { json } = await app.login(ada.username);
    expect(json).toEqual({
      token: expect.any(String),
      user: expect.objectContaining({ username: ada.username }),
      refreshToken: expect.any(String),
      expiresAt: expect.any(Number),
    });
    const byCode = await app.get(AuthManager).login(ada.username, PASSWORD);
    expect(await app.stateOf(byCode.token)).toBe('live');
  });

  it('have access tokens that end before them', async () => {
    const moveDate = freezeDate(1_900_000_000_000);
    const token = await app.tokenOf(ada);
    moveDate(299_999);
    expect(await app.stateOf(token)).toBe('live');
    moveDate(1);
    expect(await app.stateOf(token)).toBe('40101 expired');
  });

  it('are listed, and end one by one', async () => {
    const user = await app.user();
    const [first, second] = [await app.tokenOf(user), await app.tokenOf(user)];
    const sessions = await sessionsOf(second);
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect(sessions[0].address).toBe('127.0.0.1');
    expect((await app.call(second, 'DELETE', `sessions/${sessions[0].id}`)).status).toBe(204);
    expect([await app.stateOf(first), await app.stateOf(second)]).toEqual(['40101 logged-out', 'live']);
    expect((await app.call(second, 'DELETE', `sessions/${sessions[0].id}`)).json.code).toBe(40400);
  });

  it('end all but the current one', async () => {
    const user = await app.user();
    const [first, second] = [await app.tokenOf(user), await app.tokenOf(user)];
    expect((await app.call(second, 'DELETE', 'sessions')).status).toBe(204);
    expect([await app.stateOf(first), await app.stateOf(second)]).toEqual(['40101 logged-out', 'live']);
  });

  it('end with a logout', async () => {
    const user = await app.user();
    const [ended, other] = [await app.tokenOf(user), await app.tokenOf(user)];
    expect((await app.call(ended, 'POST', 'logout')).status).toBe(204);
    expect([await app.stateOf(ended), await app.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    await app.get(AuthManager).logout(ended);
  });

  it('end with a new password, but for the one that changed it', async () => {
    const user = await app.user();
    const [other, own] = [await app.tokenOf(user), await app.tokenOf(user)];
    const json = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    expect((await app.call(own, 'POST', 'password', json)).status).toBe(204);
    expect([await app.stateOf(other), await app.stateOf(own)]).toEqual(['40101 password-changed', 'live']);
  });

  it('end when an administrator ends them', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    expect((await app.call(await app.adminToken(), 'DELETE', `users/${user.id}/sessions`)).status).toBe(204);
    expect(await app.stateOf(token)).toBe('40101 kicked');
  });

  it('are not opened by a login that fails', async () => {
    const { id, username } = await app.user();
    await app.login(username, 'wrong');
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(id)).toEqual([]);
  });

  it('end when their token cannot be issued', async () => {
    const { id, username } = await app.user();
    jest.spyOn(app.get<AuthProvider>(AUTH_PROVIDER), 'issueToken').mockRejectedValueOnce(new Error('broken'));
    expect((await app.login(username)).json.code).toBe(50300);
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(id)).toEqual([]);
  });

  it('end when the user is changed during the login', async () => {
    const { id, username } = await app.user();
    jest.spyOn(app.get<AuthUserStore>(AUTH_USER_STORE), 'noteLogin').mockResolvedValueOnce(false);
    expect((await app.login(username)).json.code).toBe(40110);
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(id)).toEqual([]);
  });

  it('are required: a token that belongs to no login is refused', async () => {
    expect(await app.codeOf(await app.issueToken({ userId: ada.id, username: ada.username }))).toBe(40101);
  });
});

describe('logins that outlive their tokens', () => {
  const rejection = async (options: Parameters<typeof testApp>[0]) => {
    const start = testApp({ imports: [MemoryLoginsModule], ...options });
    await expect(start).rejects.toThrow(IllegalStateException);
    return start.then(String, (error: unknown) => (error as Error).message);
  };

  it('are refused with a provider that has sessions', async () => {
    expect(await rejection({ provider: 'session' })).toMatch(
      /MemoryLogins .*session-token.*sessions of its own/,
    );
  });

  it('are refused with a provider that keeps no proof', async () => {
    const provider = {
      extensionName: 'plain',
      issueToken: async () => 'token',
      resolveToken: (): LoginUser => loginUser(),
      invalidate: async () => undefined,
    };
    class PlainModule {}
    Module({ providers: [{ provide: AUTH_PROVIDER, useValue: provider }] })(PlainModule);
    expect(await rejection({ provider: PlainModule })).toMatch(/MemoryLogins .*plain.*keepsProof/);
  });

  it('are refused twice', async () => {
    class OtherModule {}
    Module({ providers: [{ provide: AUTH_LOGINS, useValue: {} }] })(OtherModule);
    expect(await rejection({ imports: [MemoryLoginsModule, OtherModule] })).toContain(
      'more than one AuthLogins',
    );
  });

  it.each([
    ['synchronously', () => new Error('broken')],
    ['with a promise', () => Promise.reject(new Error('broken'))],
  ])('are answered with 50300 when their check fails %s', async (_how, fail) => {
    const app = await testApp({ imports: [MemoryLoginsModule] });
    const token = await app.tokenOf('admin', 'admin');
    jest.spyOn(app.get<AuthLogins>(AUTH_LOGINS), 'check').mockImplementation(() => {
      const outcome = fail();
      if (outcome instanceof Error) {
        throw outcome;
      }
      return outcome;
    });
    expect(await app.codeOf(token)).toBe(50300);
  });
});
