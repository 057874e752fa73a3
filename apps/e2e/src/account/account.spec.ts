import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { CurrentUser, type LoginUser } from 'kit-auth';
import { ActiveProvider } from 'kit-auth/extend';
import {
  type AuthRole,
  type AuthUser,
  AuthUserStatus,
  newSecurityStamp,
  SUPER_ADMIN,
} from 'kit-auth/typeorm';
import { EVERYWHERE, freezeDate, PASSWORD, sharedTestApp, TestApp, type TestAppOptions } from 'test-support';

@Controller('v1/who')
class WhoController {
  @Get()
  who(@CurrentUser() user: LoginUser) {
    return user;
  }
}

class AccountApp extends TestApp {
  constructor({ options, ...more }: TestAppOptions) {
    const secret = 's'.repeat(32);
    super({
      controllers: [WhoController],
      options: { login: { throttle: false }, jwt: { secret }, ...options },
      ...more,
    });
  }

  changePassword(token: string, currentPassword: unknown, newPassword: unknown) {
    return this.call(token, 'POST', 'password', { currentPassword, newPassword });
  }

  /** On a route of the application, which an expired password closes. */
  override stateOf(token: string) {
    return super.stateOf(token, '/v1/who');
  }
}

const NEXT = 'another right one 4712';

describe.each(EVERYWHERE)('an account on $platform with $provider', (where) => {
  const hasSessions = where.provider === 'session';
  const app = sharedTestApp(new AccountApp(where));

  it('logs out and revokes the token if the implementation can', async () => {
    const token = await app.tokenOf(await app.user());
    const answer = await app.call(token, 'POST', 'logout');
    expect([answer.status, answer.json]).toEqual([204, undefined]);
    expect(await app.stateOf(token)).toBe(hasSessions ? '40101 logged-out' : 'live');
    expect((await app.call(undefined, 'POST', 'logout')).json.code).toBe(40100);
  });

  it('changes its password, which ends its other sessions', async () => {
    const user = await app.user();
    const [token, other] = [await app.tokenOf(user), await app.tokenOf(user)];
    const answer = await app.changePassword(token, PASSWORD, NEXT);
    expect([answer.status, answer.json]).toEqual([204, undefined]);
    expect(await app.stateOf(token)).toBe('live');
    expect(await app.stateOf(other)).toBe(hasSessions ? '40101 password-changed' : 'live');
    expect((await app.login(user.username)).json.code).toBe(40110);
    expect((await app.login(user.username, NEXT)).status).toBe(200);
    const { securityStamp } = await app.users.findOneOrFail({
      where: { id: user.id },
      select: { securityStamp: true },
    });
    expect(securityStamp).toMatch(/^[\w-]{16}$/);
  });

  it.each([
    ['wrong', NEXT, 401, 40110, undefined],
    [PASSWORD, PASSWORD, 400, 40000, 'password-unchanged'],
    [PASSWORD, 'QWERTYUIOP', 400, 40000, 'password-common'],
    [PASSWORD, 'my USER-secret', 400, 40000, 'password-has-username'],
    [undefined, NEXT, 400, 40000, undefined],
  ])('keeps its password for %j and %j: %i, %i, %s', async (current, next, status, code, reason) => {
    const user = await app.user();
    await app.users.update(user.id, { username: `user-secret` });
    const token = await app.tokenOf({ ...user, username: 'user-secret' });
    const answer = await app.changePassword(token, current, next);
    expect([answer.status, answer.json.code, answer.json.reason]).toEqual([status, code, reason]);
    expect(JSON.stringify(answer.json)).not.toContain(PASSWORD);
    expect((await app.login('user-secret')).status).toBe(200);
    await app.users.delete(user.id);
  });

  it('answers 40000 to a body that is not JSON, without quoting it', async () => {
    const token = await app.tokenOf(await app.user());
    const answer = await app.request('/v1/api/auth/password', {
      method: 'POST',
      token,
      headers: ['Content-Type: application/json'],
      body: '{"currentPassword":"hunter2"',
    });
    expect([answer.status, answer.json.code]).toEqual([400, 40000]);
    expect(JSON.stringify(answer.json)).not.toContain('hunter2');
  });

  it('accepts one of three concurrent password changes', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const answers = await Promise.all(
      [1, 2, 3].map((i) => app.changePassword(token, PASSWORD, `${NEXT}${i}`)),
    );
    const codes = answers.map(({ status, json }) => json?.code ?? status);
    const lost = codes.filter((code) => code === 40900 || code === 40110);
    expect([codes.filter((code) => code === 204).length, lost.length]).toEqual([1, 2]);
    const winner = codes.indexOf(204) + 1;
    expect((await app.login(user.username, `${NEXT}${winner}`)).status).toBe(200);
  });

  it('refuses a login whose password changes while it is checked', async () => {
    const user = await app.user();
    const changeMeanwhile = async () => {
      await app.users.update(user.id, { securityStamp: newSecurityStamp() });
      return true;
    };
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementationOnce(changeMeanwhile as never);
    const answer = await app.login(user.username);
    expect([answer.status, answer.json.code, answer.json.token]).toEqual([401, 40110, undefined]);
    compare.mockRestore();
    const token = await app.tokenOf(user);
    if (hasSessions) {
      const { json } = await app.call(token, 'GET', 'sessions');
      expect(json).toHaveLength(1);
    }
  });

  it('with an expired password can only change the password', async () => {
    const user = await app.user({ mustChangePassword: true });
    const token = await app.tokenOf(user);
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/who'],
      ['GET', '/v1/api/auth/sessions'],
      ['DELETE', '/v1/api/auth/sessions'],
    ] as const) {
      const { status, json } = await app.request(path, { method: method, token: token });
      expect([status, json.code, json.error]).toEqual([403, 40301, 'PASSWORD_CHANGE_REQUIRED']);
    }
    expect((await app.changePassword(token, PASSWORD, 'short')).status).toBe(400);
    expect((await app.changePassword(token, PASSWORD, NEXT)).status).toBe(204);
    // A stateless token says what was true when it was issued.
    expect(await app.stateOf(token)).toBe(hasSessions ? 'live' : '40301 undefined');
    expect(await app.stateOf(await app.tokenOf(user, NEXT))).toBe('live');
  });

  it('lists and ends its sessions if the implementation has sessions', async () => {
    const user = await app.user();
    const [token, second, third] = [
      await app.tokenOf(user),
      await app.tokenOf(user),
      await app.tokenOf(user),
    ];
    const stranger = await app.tokenOf(await app.user());
    const list = await app.call(token, 'GET', 'sessions');
    if (!hasSessions) {
      const notThere = [501, 50100, 'NOT_IMPLEMENTED'];
      expect([list.status, list.json.code, list.json.error]).toEqual(notThere);
      for (const path of ['/v1/api/auth/sessions', '/v1/api/auth/sessions/x']) {
        const { status, json } = await app.request(path, { method: 'DELETE', token: token });
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
    expect((await app.request(path, { method: 'DELETE', token: stranger })).json.code).toBe(40400);
    expect(await app.stateOf(second)).toBe('live');
    expect((await app.request(path, { method: 'DELETE', token: token })).status).toBe(204);
    expect(await app.stateOf(second)).toBe('40101 logged-out');
    expect((await app.request(path, { method: 'DELETE', token: token })).json.code).toBe(40400);
    expect(
      (await app.request('/v1/api/auth/sessions/nonsense', { method: 'DELETE', token: token })).json.code,
    ).toBe(40400);
    expect((await app.call(token, 'DELETE', 'sessions')).status).toBe(204);
    expect([await app.stateOf(token), await app.stateOf(third)]).toEqual(['live', '40101 logged-out']);
    expect(await app.stateOf(stranger)).toBe('live');
  });

  it('has the roles that its roles include, also in cycles, but never SUPER_ADMIN by inclusion', async () => {
    const reader = await app.role({ code: 'reader', permissions: ['note:read'] });
    const editor = await app.role({ code: 'editor', permissions: ['note:write'], includes: [reader] });
    const chief = await app.role({ code: 'chief', permissions: ['note:*', 'note:read'], includes: [editor] });
    await app.roles.save({ ...reader, includes: [chief] });
    const superAdmin = await app.roles.findOneByOrFail({ code: SUPER_ADMIN });
    const thief = await app.role({ code: 'thief', permissions: [], includes: [superAdmin] });
    const who = async (roles: AuthRole[]) => {
      const token = await app.tokenOf(await app.user({ roles }));
      const { json } = await app.request('/v1/who', { token: token });
      return [json.roles.sort(), json.permissions.sort(), json.superAdmin];
    };
    expect(await who([editor])).toEqual([
      ['chief', 'editor', 'reader'],
      ['note:*', 'note:read', 'note:write'],
      false,
    ]);
    expect(await who([thief])).toEqual([['thief'], [], false]);
    expect(await who([superAdmin])).toEqual([[SUPER_ADMIN], [], true]);
    await app.roles.remove([reader, editor, chief, thief]);
  });

  it('stores the last login without changing updatedAt', async () => {
    const user = await app.user();
    const before = await app.users.findOneByOrFail({ id: user.id });
    expect(before.lastLoginAt).toBeNull();
    await app.tokenOf(user);
    const after = await app.users.findOneByOrFail({ id: user.id });
    expect(Math.abs(after.lastLoginAt!.getTime() - Date.now())).toBeLessThan(60_000);
    expect(after.updatedAt).toEqual(before.updatedAt);
  });
});

describe('tokens of kit-auth-jwt with kit.auth.jwt.checkStamp', () => {
  let app: AccountApp;
  const boot = async (checkStamp: boolean | number) => {
    const jwt = { secret: 's'.repeat(32), checkStamp };
    app = await new AccountApp({ options: { jwt } }).start();
  };
  afterEach(() => {
    jest.useRealTimers();
  });
  const restamp = ({ id }: AuthUser) => app.users.update(id, { securityStamp: newSecurityStamp() });

  it('end at once when checkStamp is 0', async () => {
    await boot(0);
    const user = await app.user();
    const token = await app.tokenOf(user);
    expect(await app.stateOf(token)).toBe('live');
    await restamp(user);
    expect(await app.stateOf(token)).toBe('40101 revoked');
    const second = await app.tokenOf(user);
    expect((await app.changePassword(second, PASSWORD, NEXT)).status).toBe(204);
    expect(await app.stateOf(second)).toBe('40101 revoked');
    const third = await app.tokenOf(user, NEXT);
    await app.users.update(user.id, { status: AuthUserStatus.DISABLED });
    expect(await app.stateOf(third)).toBe('40101 revoked');
    await app.users.delete(user.id);
    expect(await app.stateOf(third)).toBe('40101 revoked');
  });

  it.each([
    [true, 5],
    [60, 60],
  ])('end within %j: %i seconds', async (checkStamp, seconds) => {
    await boot(checkStamp);
    const pass = freezeDate();
    const user = await app.user();
    const token = await app.tokenOf(user);
    expect(await app.stateOf(token)).toBe('live');
    await restamp(user);
    pass(seconds * 1000 - 1);
    expect(await app.stateOf(token)).toBe('live');
    pass(1);
    expect(await app.stateOf(token)).toBe('40101 revoked');
    const next = await app.tokenOf(user);
    app.get(ActiveProvider).userChanged(user.id);
    expect(await app.stateOf(next)).toBe('live');
  });

  it('are refused without a stamp, and answered with 503 while the database fails', async () => {
    await boot(false);
    const stampless = await app.tokenOf(await app.user());
    await boot(0);
    expect(await app.stateOf(stampless)).toBe('40101 revoked');
    const token = await app.tokenOf(await app.user());
    await app.users.query('ALTER TABLE auth_user RENAME TO auth_user_away');
    expect((await app.request('/v1/who', { token: token })).json.code).toBe(50300);
    await app.users.query('ALTER TABLE auth_user_away RENAME TO auth_user');
    expect(await app.stateOf(token)).toBe('live');
  });
});
