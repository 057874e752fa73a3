import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { AuthManager } from 'kit-auth';
import { AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { SessionManager } from 'kit-auth-session';
import { describeAuthProvider } from 'kit-auth-testing';
import { loginUser, PASSWORD, sharedTestApp } from 'test-support';
import { SessionAuthProvider } from '../../../../packages/kit-auth-session/src/session.provider.js';
import type { SessionSetting } from './revocation.suite.js';

/** What an application sees of sessions, wherever they are kept. */
export function describeSessions({ name, database, session }: SessionSetting): void {
  describe(`sessions in ${name}`, () => {
    const app = sharedTestApp({
      platform: 'fastify',
      database,
      provider: 'session',
      ...(session && { session: session() }),
      options: { login: { throttle: false } },
    });
    const me = (token: string) => app.call(token, 'GET', 'me');
    const reasonOf = async (token: string) => {
      const { status, json } = await me(token);
      return status === 200 ? 'live' : [json.code, json.reason];
    };
    const manager = () => app.get(SessionManager);
    const login = async (username: string, ...headers: string[]) =>
      (await app.login(username, PASSWORD, ...headers)).json.token as string;

    it('log a user in with a token that says what it is', async () => {
      const token = await app.adminToken();
      expect(token).toMatch(/^kats_[0-9a-z]+_[\w-]{43}_[0-9a-z]{7}$/);
      expect((await me(token)).json).toEqual({
        userId: 1,
        username: 'admin',
        nickname: 'admin',
        superAdmin: true,
      });
      expect(app.logs.ours()[0]).toBe('debug [auth] using authentication implementation: session-token');
    });

    it('see a changed, disabled or deleted user on the next request', async () => {
      const user = await app.user();
      const token = await login(user.username);
      await app.users.update(user.id, { nickname: 'Renamed' });
      expect((await me(token)).json.nickname).toBe('Renamed');
      const role = await app.roles.findOneByOrFail({ code: SUPER_ADMIN });
      await app.users.save({ id: user.id, roles: [role] });
      expect((await me(token)).json.superAdmin).toBe(true);
      await app.users.update(user.id, { status: AuthUserStatus.DISABLED });
      expect(await reasonOf(token)).toEqual([40101, 'disabled']);
      await app.users.update(user.id, { status: AuthUserStatus.ENABLED });
      expect(await reasonOf(token)).toBe('live');
      await app.users.delete(user.id);
      expect((await me(token)).json.code).toBe(40101);
    });

    it('end by logout, with any number of concurrent requests', async () => {
      const user = await app.user();
      const [token, other] = [await login(user.username), await login(user.username)];
      const reads = Array.from({ length: 10 }, () => me(token));
      await app.get(AuthManager).logout(token);
      expect(await reasonOf(token)).toEqual([40101, 'logged-out']);
      await Promise.all(reads);
      expect(await reasonOf(token)).toEqual([40101, 'logged-out']);
      expect(await reasonOf(other)).toBe('live');
      await app.get(AuthManager).logout(token);
    });

    it('are listed with address and user agent, and end one by one or all at once', async () => {
      const user = await app.user();
      const first = await login(user.username, 'User-Agent: first/1.0');
      const second = await login(user.username, 'User-Agent: second/1.0');
      const third = await login(user.username);
      const listed = await manager().listOf(user.id);
      expect(listed).toHaveLength(3);
      const one = listed.find(({ userAgent }) => userAgent === 'first/1.0')!;
      expect(one).toMatchObject({ address: '127.0.0.1', current: false });
      expect(one.expiresAt.getTime() - one.createdAt.getTime()).toBe(720 * 60_000);
      expect(JSON.stringify(listed)).not.toContain(first);
      expect(await manager().end(user.id + 1, one.id)).toBe(false);
      expect(await manager().end(user.id, one.id)).toBe(true);
      expect(await manager().end(user.id, one.id)).toBe(false);
      expect(await reasonOf(first)).toEqual([40101, 'kicked']);
      expect(await reasonOf(one.id)).toEqual([40101, 'malformed']);
      const kept = listed.find(({ userAgent }) => userAgent === 'second/1.0')!;
      expect(await manager().endAllOf(user.id, { exceptId: kept.id, reason: 'password-changed' })).toBe(1);
      expect(await reasonOf(third)).toEqual([40101, 'password-changed']);
      expect(await reasonOf(second)).toBe('live');
      expect((await manager().listOf(user.id)).map(({ id }) => id)).toEqual([kept.id]);
      expect(await manager().end(user.id, 'nonsense')).toBe(false);
    });

    it('are refused if forged for any user id', async () => {
      const errors = () => app.logs.lines.filter(({ level }) => level === 'error');
      const before = errors().length;
      for (const id of [1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1, 36 ** 11 - 1]) {
        const text = `kats_${id.toString(36)}_${'A'.repeat(43)}`;
        const answer = await reasonOf(`${text}_${crc32(text).toString(36).padStart(7, '0')}`);
        expect(answer).toEqual([40101, id < 2 ** 31 ? undefined : 'malformed']);
      }
      const own = await app.adminToken();
      for (const id of ['zik0zj', 'zik0zk', '1z141z4', 'zzzzzzzzzzz']) {
        const { json } = await app.call(own, 'DELETE', `sessions/${id}.${'x'.repeat(43)}`);
        expect(json.code).toBe(40400);
      }
      expect(errors().length).toBe(before);
    });

    describeAuthProvider(
      `session-token in ${name}`,
      { canInvalidate: true, keepsProof: true, sessions: 'lists' },
      () => ({
        provider: app.get(SessionAuthProvider),
        user: loginUser({ userId: 1, username: 'admin', superAdmin: true, roles: [SUPER_ADMIN] }),
      }),
    );
  });
}
