import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type LoginUser } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, PASSWORD, sharedTestApp, TestApp, type TestAppOptions } from 'test-support';

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

  it('with an expired password can only change the password', async () => {
    const user = await app.user({ mustChangePassword: true });
    const token = await app.tokenOf(user);
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
    for (const path of ['/v1/who', '/v1/api/auth/sessions']) {
      const { status, json } = await app.request(path, { token });
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
    const list = await app.call(token, 'GET', 'sessions');
    const end = async (id: string, by = token) => {
      const { status, json } = await app.call(by, 'DELETE', `sessions${id}`);
      return json?.code ?? status;
    };
    if (!hasSessions) {
      expect([list.status, list.json.error]).toEqual([501, 'NOT_IMPLEMENTED']);
      expect([await end(''), await end('/x')]).toEqual([50100, 50100]);
      return;
    }
    expect([list.status, list.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(list.json.map(({ current }: { current: boolean }) => current)).toEqual([true, false, false]);
    expect(Object.keys(list.json[0]).sort()).toEqual(
      ['address', 'createdAt', 'current', 'expiresAt', 'id', 'lastSeenAt', 'userAgent'].filter(
        (key) => key in list.json[0],
      ),
    );
    const id = `/${encodeURIComponent(list.json[1].id)}`;
    const stranger = await app.tokenOf(await app.user());
    expect([await end(id, stranger), await app.stateOf(second)]).toEqual([40400, 'live']);
    expect([await end(id), await end(id), await end('/nonsense')]).toEqual([204, 40400, 40400]);
    expect(await app.stateOf(second)).toBe('40101 logged-out');
    expect(await end('')).toBe(204);
    expect([await app.stateOf(token), await app.stateOf(third)]).toEqual(['live', '40101 logged-out']);
    expect(await app.stateOf(stranger)).toBe('live');
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

/** The time: `stamp-check.spec.ts` of kit-auth-jwt. */
it('tokens of kit-auth-jwt end at once when checkStamp is 0', async () => {
  const app = await new AccountApp({ options: { jwt: { checkStamp: 0 } } }).start();
  const user = await app.user();
  const [first, second] = [await app.tokenOf(user), await app.tokenOf(user)];
  expect(await app.stateOf(first)).toBe('live');
  expect((await app.changePassword(first, PASSWORD, NEXT)).status).toBe(204);
  expect([await app.stateOf(first), await app.stateOf(second)]).toEqual(['40101 revoked', '40101 revoked']);
  const third = await app.tokenOf(user, NEXT);
  await app.users.query('ALTER TABLE auth_user RENAME TO auth_user_away');
  expect(await app.codeOf(third, '/v1/who')).toBe(50300);
  await app.users.query('ALTER TABLE auth_user_away RENAME TO auth_user');
  expect(await app.stateOf(third)).toBe('live');
  await app.users.update(user.id, { status: AuthUserStatus.DISABLED });
  expect(await app.stateOf(third)).toBe('40101 revoked');
});
