import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import {
  AuthManager,
  AuthRole,
  AuthUser,
  CurrentUser,
  KitAuthModule,
  type KitAuthOptions,
  type LoginUser,
  newSecurityStamp,
  SUPER_ADMIN,
} from 'kit-auth';
import bcrypt from 'bcrypt';
import { database } from './databases.js';
import { EVERYWHERE, type Implementation, IMPLEMENTATIONS } from './implementations.js';
import { bearer } from './login.js';
import { type Running, start } from './platforms.js';
import { postJson, request } from './raw-http.js';
import './remember-hashes.js';
import { ALL_BUT_DATE } from './session-app.js';

@Controller('v1/who')
class WhoController {
  @Get()
  who(@CurrentUser() user: LoginUser) {
    return user;
  }
}

@Module({})
class AccountApp {
  static with(implementation: Implementation, options: KitAuthOptions = {}): DynamicModule {
    return {
      module: AccountApp,
      imports: [
        database(),
        KitAuthModule.forRoot({
          password: { cost: 10 },
          login: { throttle: false },
          jwt: { secret: 's'.repeat(32) },
          ...options,
        }),
        IMPLEMENTATIONS[implementation],
      ],
      controllers: [WhoController],
    };
  }
}

const CURRENT = 'a right one 4711';
const NEXT = 'another right one 4712';
const passwordHash = bcrypt.hashSync(CURRENT, 10);

class Accounts {
  private count = 0;

  constructor(readonly running: Running) {}

  get users() {
    return this.running.app.get(getRepositoryToken(AuthUser));
  }

  get roles() {
    return this.running.app.get(getRepositoryToken(AuthRole));
  }

  async newUser(more: Partial<AuthUser> = {}): Promise<AuthUser> {
    const username = `user-${++this.count}`;
    return this.users.save({ username, nickname: username, passwordHash, roles: [], ...more });
  }

  login(username: string, password = CURRENT) {
    return postJson(this.running.port, '/v1/api/auth/login', { username, password });
  }

  async tokenOf({ username }: AuthUser, password?: string): Promise<string> {
    return (await this.login(username, password)).json.token;
  }

  call(method: string, path: string, token: string) {
    return request(this.running.port, path, { method, headers: [bearer(token)] });
  }

  changePassword(token: string, currentPassword: unknown, newPassword: unknown) {
    const body = { currentPassword, newPassword };
    return postJson(this.running.port, '/v1/api/auth/password', body, [bearer(token)]);
  }

  /** `live`, or the code and the reason of the refusal. */
  async stateOf(token: string): Promise<string> {
    const { status, json } = await this.call('GET', '/v1/who', token);
    return status === 200 ? 'live' : `${json.code} ${json.reason}`;
  }
}

describe.each(EVERYWHERE)('an account on $platform with $implementation', ({ platform, implementation }) => {
  const hasSessions = implementation === 'session';
  let running: Running;
  let accounts: Accounts;
  beforeAll(async () => {
    running = await start(AccountApp.with(implementation), { platform });
    accounts = new Accounts(running);
  });
  afterAll(() => running.app.close());

  it('logs out, which ends the token where it can be ended', async () => {
    const token = await accounts.tokenOf(await accounts.newUser());
    const answer = await accounts.call('POST', '/v1/api/auth/logout', token);
    expect([answer.status, answer.json]).toEqual([204, undefined]);
    expect(await accounts.stateOf(token)).toBe(hasSessions ? '40101 logged-out' : 'live');
    expect((await request(running.port, '/v1/api/auth/logout', { method: 'POST' })).json.code).toBe(40100);
  });

  it('gets a new password, which ends its other sessions', async () => {
    const user = await accounts.newUser();
    const [token, other] = [await accounts.tokenOf(user), await accounts.tokenOf(user)];
    const answer = await accounts.changePassword(token, CURRENT, NEXT);
    expect([answer.status, answer.json]).toEqual([204, undefined]);
    expect(await accounts.stateOf(token)).toBe('live');
    expect(await accounts.stateOf(other)).toBe(hasSessions ? '40101 password-changed' : 'live');
    expect((await accounts.login(user.username)).json.code).toBe(40110);
    expect((await accounts.login(user.username, NEXT)).status).toBe(200);
    const [{ securityStamp }] = await accounts.users.find({
      where: { id: user.id },
      select: { securityStamp: true },
    });
    expect(securityStamp).toMatch(/^[\w-]{16}$/);
  });

  it.each([
    ['wrong', NEXT, 401, 40110, undefined],
    [CURRENT, CURRENT, 400, 40000, 'password-unchanged'],
    [CURRENT, 'short7c', 400, 40000, 'password-too-short'],
    [CURRENT, 'x'.repeat(73), 400, 40000, 'password-too-long'],
    [CURRENT, '\u20ac'.repeat(25), 400, 40000, 'password-too-long'],
    [CURRENT, 'password', 400, 40000, 'password-common'],
    [CURRENT, 'Password123456789!', 400, 40000, 'password-common'],
    [CURRENT, 'QWERTYUIOP', 400, 40000, 'password-common'],
    [CURRENT, 'admin123', 400, 40000, 'password-common'],
    [CURRENT, 'my USER-secret', 400, 40000, 'password-has-username'],
    [CURRENT, ' '.repeat(10), 400, 40000, undefined],
    [CURRENT, 4711, 400, 40000, undefined],
    [undefined, NEXT, 400, 40000, undefined],
    [CURRENT, ['x'], 400, 40000, undefined],
  ])('keeps its password for %j and %j: %i, %i, %s', async (current, next, status, code, reason) => {
    const user = await accounts.newUser();
    await accounts.users.update(user.id, { username: `user-secret` });
    const token = await accounts.tokenOf({ ...user, username: 'user-secret' });
    const answer = await accounts.changePassword(token, current, next);
    expect([answer.status, answer.json.code, answer.json.reason]).toEqual([status, code, reason]);
    expect(JSON.stringify(answer.json)).not.toContain(CURRENT);
    expect((await accounts.login('user-secret')).status).toBe(200);
    await accounts.users.delete(user.id);
  });

  it('answers 40000 to a body that is no JSON, without a word of it', async () => {
    const token = await accounts.tokenOf(await accounts.newUser());
    const answer = await request(running.port, '/v1/api/auth/password', {
      method: 'POST',
      headers: [bearer(token), 'Content-Type: application/json'],
      body: '{"currentPassword":"hunter2"',
    });
    expect([answer.status, answer.json.code]).toEqual([400, 40000]);
    expect(JSON.stringify(answer.json)).not.toContain('hunter2');
  });

  it('takes one of two new passwords that come at once', async () => {
    const user = await accounts.newUser();
    const token = await accounts.tokenOf(user);
    const answers = await Promise.all(
      [1, 2, 3].map((i) => accounts.changePassword(token, CURRENT, `${NEXT}${i}`)),
    );
    const codes = answers.map(({ status, json }) => json?.code ?? status);
    const lost = codes.filter((code) => code === 40900 || code === 40110);
    expect([codes.filter((code) => code === 204).length, lost.length]).toEqual([1, 2]);
    const winner = codes.indexOf(204) + 1;
    expect((await accounts.login(user.username, `${NEXT}${winner}`)).status).toBe(200);
  });

  it('is not entered with a password that was changed while it was checked', async () => {
    const user = await accounts.newUser();
    const changeMeanwhile = async () => {
      await accounts.users.update(user.id, { securityStamp: newSecurityStamp() });
      return true;
    };
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementationOnce(changeMeanwhile as never);
    const answer = await accounts.login(user.username);
    expect([answer.status, answer.json.code, answer.json.token]).toEqual([401, 40110, undefined]);
    compare.mockRestore();
    const token = await accounts.tokenOf(user);
    if (hasSessions) {
      const { json } = await accounts.call('GET', '/v1/api/auth/sessions', token);
      expect(json).toHaveLength(1);
    }
  });

  it('that must have a new password does nothing else before', async () => {
    const user = await accounts.newUser({ mustChangePassword: true });
    const token = await accounts.tokenOf(user);
    expect((await accounts.call('GET', '/v1/api/auth/me', token)).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/who'],
      ['GET', '/v1/api/auth/sessions'],
      ['DELETE', '/v1/api/auth/sessions'],
    ] as const) {
      const { status, json } = await accounts.call(method, path, token);
      expect([status, json.code, json.error]).toEqual([403, 40301, 'PASSWORD_CHANGE_REQUIRED']);
    }
    expect((await accounts.changePassword(token, CURRENT, 'short')).status).toBe(400);
    expect((await accounts.changePassword(token, CURRENT, NEXT)).status).toBe(204);
    // A stateless token says what was true when it was issued.
    expect(await accounts.stateOf(token)).toBe(hasSessions ? 'live' : '40301 undefined');
    expect(await accounts.stateOf(await accounts.tokenOf(user, NEXT))).toBe('live');
  });

  it('sees its sessions and ends them, where there are any', async () => {
    const user = await accounts.newUser();
    const [token, second, third] = [
      await accounts.tokenOf(user),
      await accounts.tokenOf(user),
      await accounts.tokenOf(user),
    ];
    const stranger = await accounts.tokenOf(await accounts.newUser());
    const list = await accounts.call('GET', '/v1/api/auth/sessions', token);
    if (!hasSessions) {
      const notThere = [501, 50100, 'NOT_IMPLEMENTED'];
      expect([list.status, list.json.code, list.json.error]).toEqual(notThere);
      for (const path of ['/v1/api/auth/sessions', '/v1/api/auth/sessions/x']) {
        const { status, json } = await accounts.call('DELETE', path, token);
        expect([status, json.code, json.error]).toEqual(notThere);
      }
      return;
    }
    expect([list.status, list.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(list.json.map(({ current }: { current: boolean }) => current)).toEqual([true, false, false]);
    expect(Object.keys(list.json[0]).sort()).toEqual(
      ['address', 'createdAt', 'current', 'expiresAt', 'id', 'lastSeenAt', 'userAgent'].filter(
        (key) => key in list.json[0],
      ),
    );
    const path = `/v1/api/auth/sessions/${encodeURIComponent(list.json[1].id)}`;
    expect((await accounts.call('DELETE', path, stranger)).json.code).toBe(40400);
    expect(await accounts.stateOf(second)).toBe('live');
    expect((await accounts.call('DELETE', path, token)).status).toBe(204);
    expect(await accounts.stateOf(second)).toBe('40101 logged-out');
    expect((await accounts.call('DELETE', path, token)).json.code).toBe(40400);
    expect((await accounts.call('DELETE', '/v1/api/auth/sessions/nonsense', token)).json.code).toBe(40400);
    expect((await accounts.call('DELETE', '/v1/api/auth/sessions', token)).status).toBe(204);
    expect([await accounts.stateOf(token), await accounts.stateOf(third)]).toEqual([
      'live',
      '40101 logged-out',
    ]);
    expect(await accounts.stateOf(stranger)).toBe('live');
  });

  it('has the roles that its roles include, in circles too, and no administration by inclusion', async () => {
    const save = (code: string, permissions: string[], includes: AuthRole[] = []): Promise<AuthRole> =>
      accounts.roles.save({ code, name: code, permissions, includes });
    const reader = await save('reader', ['note:read']);
    const editor = await save('editor', ['note:write'], [reader]);
    const chief = await save('chief', ['note:*', 'note:read'], [editor]);
    await accounts.roles.save({ ...reader, includes: [chief] });
    const superAdmin = await accounts.roles.findOneByOrFail({ code: SUPER_ADMIN });
    const thief = await save('thief', [], [superAdmin]);
    const who = async (roles: AuthRole[]) => {
      const token = await accounts.tokenOf(await accounts.newUser({ roles }));
      const { json } = await accounts.call('GET', '/v1/who', token);
      return [json.roles.sort(), json.permissions.sort(), json.superAdmin];
    };
    expect(await who([editor])).toEqual([
      ['chief', 'editor', 'reader'],
      ['note:*', 'note:read', 'note:write'],
      false,
    ]);
    expect(await who([thief])).toEqual([['thief'], [], false]);
    expect(await who([superAdmin])).toEqual([[SUPER_ADMIN], [], true]);
    await accounts.roles.remove([reader, editor, chief, thief]);
  });

  it('knows its last login, which is no change of it', async () => {
    const user = await accounts.newUser();
    const before = await accounts.users.findOneByOrFail({ id: user.id });
    expect(before.lastLoginAt).toBeNull();
    await accounts.tokenOf(user);
    const after = await accounts.users.findOneByOrFail({ id: user.id });
    expect(Math.abs(after.lastLoginAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(after.updatedAt).toEqual(before.updatedAt);
  });
});

describe('tokens of kit-auth-jwt with kit.auth.jwt.checkStamp', () => {
  let running: Running;
  let accounts: Accounts;
  const boot = async (checkStamp: boolean | number) => {
    const jwt = { secret: 's'.repeat(32), checkStamp };
    running = await start(AccountApp.with('jwt', { jwt }));
    accounts = new Accounts(running);
  };
  afterEach(async () => {
    jest.useRealTimers();
    await running.app.close();
  });
  const restamp = ({ id }: AuthUser) => accounts.users.update(id, { securityStamp: newSecurityStamp() });

  it('end at once with 0, and with a password', async () => {
    await boot(0);
    const user = await accounts.newUser();
    const token = await accounts.tokenOf(user);
    expect(await accounts.stateOf(token)).toBe('live');
    await restamp(user);
    expect(await accounts.stateOf(token)).toBe('40101 revoked');
    const second = await accounts.tokenOf(user);
    expect((await accounts.changePassword(second, CURRENT, NEXT)).status).toBe(204);
    expect(await accounts.stateOf(second)).toBe('40101 revoked');
    const third = await accounts.tokenOf(user, NEXT);
    await accounts.users.update(user.id, { status: 'DISABLED' });
    expect(await accounts.stateOf(third)).toBe('40101 revoked');
    await accounts.users.delete(user.id);
    expect(await accounts.stateOf(third)).toBe('40101 revoked');
  });

  it.each([
    [true, 5],
    [60, 60],
  ])('end within %j: %i seconds', async (checkStamp, seconds) => {
    await boot(checkStamp);
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE, now: Date.now() });
    const user = await accounts.newUser();
    const token = await accounts.tokenOf(user);
    expect(await accounts.stateOf(token)).toBe('live');
    await restamp(user);
    jest.setSystemTime(Date.now() + seconds * 1000 - 1);
    expect(await accounts.stateOf(token)).toBe('live');
    jest.setSystemTime(Date.now() + 1);
    expect(await accounts.stateOf(token)).toBe('40101 revoked');
    const next = await accounts.tokenOf(user);
    running.app.get(AuthManager).userChanged(user.id);
    expect(await accounts.stateOf(next)).toBe('live');
  });

  it('are refused without a stamp, and 503 while the database is in trouble', async () => {
    await boot(false);
    const stampless = await accounts.tokenOf(await accounts.newUser());
    await running.app.close();
    await boot(0);
    expect(await accounts.stateOf(stampless)).toBe('40101 revoked');
    const token = await accounts.tokenOf(await accounts.newUser());
    await accounts.users.query('ALTER TABLE auth_user RENAME TO auth_user_away');
    expect((await accounts.call('GET', '/v1/who', token)).json.code).toBe(50300);
    await accounts.users.query('ALTER TABLE auth_user_away RENAME TO auth_user');
    expect(await accounts.stateOf(token)).toBe('live');
  });
});

describe('the endpoints of an account while kit.auth.enabled is false', () => {
  it.each([
    ['POST', '/v1/api/auth/logout'],
    ['POST', '/v1/api/auth/password'],
    ['GET', '/v1/api/auth/sessions'],
    ['DELETE', '/v1/api/auth/sessions'],
    ['DELETE', '/v1/api/auth/sessions/x'],
  ])('%s %s is 404', async (method, path) => {
    const running = await start(AccountApp.with('jwt', { enabled: false }));
    expect((await request(running.port, path, { method })).status).toBe(404);
    await running.app.close();
  });
});
