import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AUTH_USER_STORE, type AuthUserStore, KitAuthModule } from 'kit-auth';
import { PasswordCheck } from 'kit-auth/login';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { describeLogins } from 'kit-auth-testing';
import { freezeDate, loginUser, OpenApi, PASSWORD, sharedTestApp, testApp } from 'test-support';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';
import { claimsOf, type ClientLogin, RefreshApp } from './app.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('refresh tokens', () => {
  const app = sharedTestApp(new RefreshApp({ platform: 'fastify', admin: true, trustProxy: true }));

  it('come with a login, and a refresh answers as the login does', async () => {
    const user = await app.user();
    const { json: login } = await app.login(user.username);
    expect(login).toEqual({
      token: expect.any(String),
      user: { userId: user.id, username: user.username, nickname: user.nickname, superAdmin: false },
      expiresAt: claimsOf(login.token).exp,
      refreshToken: expect.stringMatching(/^katr_[0-9a-z]+_[\w-]{22}_[\w-]{43}_[0-9a-z]{7}$/),
    });
    const life = claimsOf(login.token).exp - claimsOf(login.token).iat;
    expect(life).toBeGreaterThanOrEqual(570);
    expect(life).toBeLessThanOrEqual(600);
    const { json, headers } = await app.refresh(login.refreshToken);
    expect(json).toEqual({
      ...login,
      token: expect.any(String),
      expiresAt: claimsOf(json.token).exp,
      refreshToken: expect.stringMatching(/^katr_/),
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(json.refreshToken).not.toBe(login.refreshToken);
    expect(claimsOf(json.token)).toMatchObject({
      sid: claimsOf(login.token).sid,
      factors: claimsOf(login.token)['factors'],
    });
    expect(await app.stateOf(json.token)).toBe('live');
  });

  it.each([
    [{}, 40000],
    [{ refreshToken: 1 }, 40000],
    [{ refreshToken: 'katr_1_x' }, 40101],
  ])('are refused in the body %j: %i', async (body, code) => {
    expect((await app.call(undefined, 'POST', 'token/refresh', body)).json.code).toBe(code);
    const { status } = await app.call(undefined, 'POST', 'token/end', body);
    expect(status).toBe(code === 40101 ? 204 : 400);
  });

  it('are no access tokens, and access tokens are no refresh tokens', async () => {
    const { token, refreshToken } = await app.open(await app.user());
    expect(await app.outcomeOf(token)).toBe('40101 malformed');
    expect(await app.stateOf(refreshToken)).toBe('40101 malformed');
    expect([await app.stateOf(token), await app.outcomeOf(refreshToken)]).toEqual(['live', '200']);
  });

  it('end with a logout, and with POST token/end', async () => {
    const user = await app.user();
    const [first, second] = [await app.open(user), await app.open(user)];
    expect((await app.call(first.token, 'POST', 'logout')).status).toBe(204);
    expect((await app.endToken(second.refreshToken)).status).toBe(204);
    for (const { token, refreshToken } of [first, second]) {
      expect(await app.outcomeOf(refreshToken)).toBe('40101 logged-out');
      expect(await app.stateOf(token)).toBe('40101 logged-out');
      expect((await app.endToken(refreshToken)).status).toBe(204);
    }
    expect(app.eventsOf(user)).toEqual(['logout', 'logout']);
  });

  it('are replayed by the same client, and by no other', async () => {
    const { refreshToken } = await app.open(await app.user());
    const outcomes: string[] = [];
    for (const address of ['198.51.100.1', '198.51.100.1', '198.51.100.2']) {
      outcomes.push(await app.outcomeOf(refreshToken, `X-Forwarded-For: ${address}`));
    }
    expect(outcomes).toEqual(['200', '200', '40101 reused']);
  });

  describeLogins('of kit-auth-refresh', { checksWithoutPromise: true, renews: true }, () => ({
    logins: app.logins,
    users: [loginUser({ userId: 1, username: 'admin' }), loginUser({ userId: 2, username: 'grace' })],
  }));

  it('show the last refresh of the current login in steps of minutes', async () => {
    const moveDate = freezeDate();
    const user = await app.user();
    const [first, other] = [await app.open(user), await app.open(user)];
    const timesOf = async (login: ClientLogin) => {
      const { json } = await app.call(login.token, 'GET', 'sessions');
      const times = (json as { id: string; createdAt: string; lastSeenAt: string }[]).map(
        ({ id, createdAt, lastSeenAt }) =>
          [id, [Date.parse(createdAt), Date.parse(lastSeenAt)] as const] as const,
      );
      return Object.fromEntries(times);
    };
    const openedAt = Date.now();
    expect(await timesOf(first)).toEqual({
      [first.id]: [openedAt, openedAt],
      [other.id]: [openedAt, openedAt],
    });
    moveDate(10 * 60_000 + 1234);
    const [own, another] = [await app.refreshed(first), await app.refreshed(other)];
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    expect(await timesOf(own)).toEqual({
      [own.id]: [openedAt, minute],
      [another.id]: [openedAt, Date.now()],
    });
  });

  it('give the roles that the user has by then, and end access tokens that have others', async () => {
    const moveDate = freezeDate();
    const user = await app.user();
    const login = await app.open(user);
    const role = await app.role();
    const changed = await app.call(await app.adminToken(), 'PUT', `users/${user.id}/roles`, {
      roles: [role.code],
    });
    expect(changed.status).toBe(200);
    expect(await app.stateOf(login.token)).toBe('live');
    moveDate(5000);
    expect(await app.stateOf(login.token)).toBe('40101 revoked');
    const { json } = await app.refresh(login.refreshToken);
    expect(claimsOf(json.token)['roles']).toEqual([role.code]);
    expect([await app.stateOf(json.token), await app.stateOf(login.token)]).toEqual([
      'live',
      '40101 revoked',
    ]);
  });

  it('never come with roles of before a change', async () => {
    const user = await app.user();
    const login = await app.open(user);
    const role = await app.role();
    const store = app.get<AuthUserStore>(AUTH_USER_STORE);
    const load = store.loadLoginUser.bind(store);
    jest.spyOn(store, 'loadLoginUser').mockImplementationOnce(async (id) => {
      const before = await load(id);
      await app.users.save({ ...user, roles: [role], securityStamp: 'x'.repeat(22) });
      return before;
    });
    const { json } = await app.refresh(login.refreshToken);
    expect(claimsOf(json.token)['roles']).toEqual([role.code]);
    expect(await app.stateOf(json.token)).toBe('live');
  });

  it('are replaced by POST fresh, which keeps the login', async () => {
    const { username } = await app.user();
    const { json: login } = await app.login(username);
    const { status, json } = await app.call(login.token, 'POST', 'fresh', { password: PASSWORD });
    expect([status, Object.keys(json).sort()]).toEqual([200, Object.keys(login).sort()]);
    expect(claimsOf(json.token)).toMatchObject({ sid: claimsOf(login.token).sid, exp: json.expiresAt });
    expect(await app.outcomeOf(json.refreshToken)).toBe('200');
    expect(await app.outcomeOf(login.refreshToken)).toBe('40101 reused');
  });

  it('stay as they are when the roles change during POST fresh', async () => {
    const { id, username } = await app.user();
    const { json: login } = await app.login(username);
    const check = app.get(PasswordCheck);
    const verify = check.verify.bind(check);
    jest.spyOn(check, 'verify').mockImplementationOnce(async (...args) => {
      const verified = await verify(...args);
      await app.users.update({ id }, { securityStamp: 'of other roles' });
      return verified;
    });
    expect((await app.call(login.token, 'POST', 'fresh', { password: PASSWORD })).json.code).toBe(40110);
    expect(await app.outcomeOf(login.refreshToken)).toBe('200');
  });
});

const WITHOUT_SECRET = {
  jwt: { keys: [{ kid: 'a', alg: 'HS256' as const, key: 'k'.repeat(32) }], secret: undefined },
};

describe('refresh tokens with other options', () => {
  it.each([
    [{ maxPerUser: 2 }, ['40101 replaced', 'live', 'live']],
    [{ maxPerUser: 2, overflow: 'refuse' }, ['live', 'live', '40300 session-limit']],
  ] as const)('are limited by %j', async (refresh, states) => {
    const app = await new RefreshApp({ refresh }).start();
    const { username } = await app.user();
    const answers = [await app.login(username), await app.login(username), await app.login(username)];
    const found = answers.map(async ({ status, json }) =>
      status === 200 ? app.stateOf(json.token) : `${json.code} ${json.reason}`,
    );
    expect(await Promise.all(found)).toEqual(states);
  });

  it('work with text ids of another user store', async () => {
    const app = await new RefreshApp({ core: ownUsers() }).start();
    const store = app.get(OwnUsers);
    const { json: login } = await app.login('admin', 'admin');
    expect(login.refreshToken).toMatch(/^katr_[\w-]{16}_/);
    const { json } = await app.refresh(login.refreshToken);
    expect(json.user.userId).toBe(login.user.userId);
    expect(await app.stateOf(json.token)).toBe('live');
    store.db.exec(`update account set stamp = 'another'`);
    const { json: again } = await app.refresh(json.refreshToken);
    expect([await app.stateOf(json.token), await app.stateOf(again.token)]).toEqual([
      '40101 revoked',
      'live',
    ]);
    const json2 = { currentPassword: 'admin', newPassword: PASSWORD };
    expect((await app.call(again.token, 'POST', 'password', json2)).status).toBe(204);
    store.db.exec('update account set active = 0');
    expect((await app.refresh(again.refreshToken)).json.reason).toBe('disabled');
  });

  it('are described in an OpenAPI document, where cookies may carry them', async () => {
    const app = await new RefreshApp({ imports: [KitAuthBrowserModule] }).start();
    const api = new OpenApi(app);
    const answers = ['POST login', 'POST token/refresh'].map(
      (name) => api.operation(name).responses['200']!.content!['application/json'].schema,
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(Object.keys(answers[0]!.properties!)).toEqual(['token', 'user', 'expiresAt', 'refreshToken']);
    expect(answers[0]!.required).toEqual(['user', 'expiresAt']);
  });

  it.each([
    [
      { provider: 'session' },
      /RefreshLogins \(of KitAuthRefreshModule\) cannot be used with session-token, whose tokens last.* Remove/,
    ],
    [
      { options: { ...WITHOUT_SECRET, strict: true, defaultAdminPassword: 'of its own' } },
      /kit\.auth\.strict refuses this: kit\.auth\.jwt\.secret is missing, with which kit-auth-refresh seals/,
    ],
    [{ core: ownUsers(), database: false }, /KitAuthRefreshModule needs a data source of TypeORM/],
  ] as const)('fail start-up with %j', async (options, message) => {
    await expect(testApp({ imports: [KitAuthRefreshModule], ...options })).rejects.toThrow(message);
  });

  it('warn of keys without a secret, which seals a column', async () => {
    const app = await new RefreshApp({ options: WITHOUT_SECRET }).start();
    expect(app.logs.all()).toContain('[refresh] kit.auth.jwt.secret is missing');
  });
});

function ownUsers() {
  return KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } });
}
