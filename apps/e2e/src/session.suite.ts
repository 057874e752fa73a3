import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { getRepositoryToken, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { AuthManager, KitAuthModule, type LoginUser } from 'kit-auth';
import { AuthRole, AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthSessionModule, type KitAuthSessionOptions, SessionManager } from 'kit-auth-session';
import { describeAuthProvider } from 'kit-auth-testing';
import bcrypt from 'bcrypt';
import { SessionAuthProvider } from '../../../packages/kit-auth-session/src/session.provider.js';
import { database } from './databases.js';
import { bearer, tokenOf } from './login.js';
import { BOTH, type Platform, type Running, start } from './platforms.js';
import { postJson, request } from './raw-http.js';

@Controller('v1/thing')
class ThingController {
  @Get()
  get() {
    return { thing: true };
  }
}

@Module({})
class SessionApp {
  static with(db: TypeOrmModuleOptions, options: KitAuthSessionOptions): DynamicModule {
    return {
      module: SessionApp,
      imports: [
        database(db),
        KitAuthModule.forRoot({ password: { cost: 10 }, login: { throttle: false } }),
        KitAuthSessionModule.forRoot(options),
      ],
      controllers: [ThingController],
    };
  }
}

export interface SessionSetting {
  name: string;
  db: () => TypeOrmModuleOptions;
  /** A fresh one for every application, so that two share only what is outside of the process. */
  options: () => KitAuthSessionOptions;
  before?: () => Promise<void>;
  after?: () => Promise<void>;
}

/** What an application sees of sessions, wherever they are kept. */
export function describeSessions({ name, db, options, before, after }: SessionSetting): void {
  describe.each(BOTH)(`sessions in ${name} on %s`, (platform: Platform) => {
    let running: Running;
    beforeAll(async () => {
      await before?.();
      running = await start(SessionApp.with(db(), options()), { platform });
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    afterAll(async () => {
      await running.app.close();
      await after?.();
    });

    const me = (token: string) => request(running.port, '/v1/api/auth/me', { headers: [bearer(token)] });
    const reasonOf = async (token: string) => {
      const { status, json } = await me(token);
      return status === 200 ? 'live' : [json.code, json.reason];
    };
    const manager = () => running.app.get(SessionManager, { strict: false });
    const users = () => running.app.get(getRepositoryToken(AuthUser));
    let count = 0;
    const newUser = async () => {
      const username = `${platform}-${++count}`;
      const passwordHash = bcrypt.hashSync('right', 10);
      return users().save({
        username,
        nickname: username,
        passwordHash,
        status: AuthUserStatus.ENABLED,
        roles: [],
      });
    };
    const login = async (username: string, ...headers: string[]) => {
      const { json } = await postJson(
        running.port,
        '/v1/api/auth/login',
        { username, password: 'right' },
        headers,
      );
      return json.token as string;
    };

    it('log a user in with a token that says what it is', async () => {
      const token = await tokenOf(running.port);
      expect(token).toMatch(/^kats_[0-9a-z]+_[\w-]{43}_[0-9a-z]{7}$/);
      expect((await me(token)).json).toEqual({
        userId: 1,
        username: 'admin',
        nickname: 'admin',
        superAdmin: true,
      });
      expect(running.logger.ours()[0]).toBe(
        'debug [auth] using authentication implementation: session-token',
      );
    });

    it('see a changed or disabled user on the next request, and a deleted one', async () => {
      const user = await newUser();
      const token = await login(user.username);
      await users().update(user.id, { nickname: 'Renamed' });
      expect((await me(token)).json.nickname).toBe('Renamed');
      const role = await running.app
        .get(getRepositoryToken(AuthRole))
        .findOneByOrFail({ code: 'SUPER_ADMIN' });
      await users().save({ id: user.id, roles: [role] });
      expect((await me(token)).json.superAdmin).toBe(true);
      await users().save({ id: user.id, roles: [] });
      expect((await me(token)).json.superAdmin).toBe(false);
      await users().update(user.id, { status: AuthUserStatus.DISABLED });
      expect(await reasonOf(token)).toEqual([40101, 'disabled']);
      await users().update(user.id, { status: AuthUserStatus.ENABLED });
      expect(await reasonOf(token)).toBe('live');
      await users().delete(user.id);
      expect((await me(token)).json.code).toBe(40101);
    });

    it('end by logout, and say so, however many requests are under way', async () => {
      const user = await newUser();
      const [token, other] = [await login(user.username), await login(user.username)];
      const reads = Array.from({ length: 50 }, () => me(token));
      await running.app.get(AuthManager).logout(token);
      expect(await reasonOf(token)).toEqual([40101, 'logged-out']);
      await Promise.all(reads);
      expect(await reasonOf(token)).toEqual([40101, 'logged-out']);
      expect(await reasonOf(other)).toBe('live');
      await running.app.get(AuthManager).logout(token);
    });

    it('are listed with what the login knew, and end one by one or all', async () => {
      const user = await newUser();
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

    it('expire when their time is over, whatever happens before', async () => {
      const user = await newUser();
      const token = await login(user.username);
      jest.useFakeTimers({ doNotFake: FAKE_DATE_ALONE, now: Date.now() + 720 * 60_000 - 5000 });
      expect(await reasonOf(token)).toBe('live');
      jest.setSystemTime(Date.now() + 5001);
      expect(await reasonOf(token)).toEqual([40101, 'expired']);
      expect(await manager().listOf(user.id)).toEqual([]);
    });

    it('are refused without a look-up where they are noise', async () => {
      const token = await tokenOf(running.port);
      for (const noise of [
        token.slice(0, -1),
        token.replace('kats_1', 'kats_2'),
        `${token}0`,
        'kats_',
        'x'.repeat(9000),
      ]) {
        expect(await reasonOf(noise)).toEqual([40101, 'malformed']);
      }
    });

    it('are refused where they are made up for any id of a user', async () => {
      const errors = () => running.logger.lines.filter(({ level }) => level === 'error');
      const before = errors().length;
      for (const id of [1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1, 36 ** 11 - 1]) {
        const text = `kats_${id.toString(36)}_${'A'.repeat(43)}`;
        const answer = await reasonOf(`${text}_${crc32(text).toString(36).padStart(7, '0')}`);
        expect(answer).toEqual([40101, id < 2 ** 31 ? undefined : 'malformed']);
      }
      const own = await tokenOf(running.port);
      for (const id of ['zik0zj', 'zik0zk', '1z141z4', 'zzzzzzzzzzz']) {
        const path = `/v1/api/auth/sessions/${id}.${'x'.repeat(43)}`;
        const { json } = await request(running.port, path, { method: 'DELETE', headers: [bearer(own)] });
        expect(json.code).toBe(40400);
      }
      expect(errors().length).toBe(before);
    });

    it('serve forty logins at once', async () => {
      const user = await newUser();
      const tokens = await Promise.all(Array.from({ length: 40 }, () => login(user.username)));
      expect(new Set(tokens).size).toBe(40);
      expect(await manager().listOf(user.id)).toHaveLength(40);
    }, 30_000);

    describeAuthProvider(
      `session-token in ${name} on ${platform}`,
      { canInvalidate: true, sessions: 'lists' },
      () => ({
        provider: running.app.get(SessionAuthProvider, { strict: false }),
        user: {
          userId: 1,
          username: 'admin',
          nickname: 'admin',
          superAdmin: true,
          roles: ['SUPER_ADMIN'],
          permissions: [],
        } satisfies LoginUser,
      }),
    );
  });
}

export const FAKE_DATE_ALONE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
