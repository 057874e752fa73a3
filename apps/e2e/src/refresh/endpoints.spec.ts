import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AUTH_USER_STORE, AuthManager, type AuthUserStore, KitAuthModule } from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { describeLogins } from 'kit-auth-testing';
import {
  type Answer,
  BOTH,
  freezeDate,
  loginUser,
  PASSWORD,
  sharedDatabase,
  sharedTestApp,
  testApp,
} from 'test-support';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';
import { claimsOf, type ClientLogin, RefreshApp } from './app.js';

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe.each(BOTH)('refresh tokens on %s', (platform) => {
  const app = sharedTestApp(new RefreshApp({ platform, admin: true, trustProxy: true }));

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
    ['nothing', undefined, 40000],
    ['no token', {}, 40000],
    ['a number', { refreshToken: 1 }, 40000],
    ['an empty text', { refreshToken: '' }, 40000],
    ['a list', [], 40000],
    ['a text', { refreshToken: 'katr_1_x' }, 40101],
    ['a long text', { refreshToken: 'x'.repeat(20_000) }, 40101],
  ])('are refused when the body has %s', async (_what, body, code) => {
    const answer = await app.call(undefined, 'POST', 'token/refresh', body);
    expect(answer.json).toMatchObject({ code, ...(code === 40101 && { reason: 'malformed' }) });
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

  it.each([
    ['another address', ['X-Forwarded-For: 198.51.100.2', 'User-Agent: a'], '40101 reused'],
    ['another agent', ['X-Forwarded-For: 198.51.100.1', 'User-Agent: b'], '40101 reused'],
    ['the same client', ['X-Forwarded-For: 198.51.100.1', 'User-Agent: a'], '200'],
  ])('are replayed at once by %s: %s', async (_who, headers, outcome) => {
    const login = await app.open(await app.user());
    const first = ['X-Forwarded-For: 198.51.100.1', 'User-Agent: a'];
    expect(await app.outcomeOf(login.refreshToken, ...first)).toBe('200');
    expect(await app.outcomeOf(login.refreshToken, ...headers)).toBe(outcome);
  });
});

describe('logins with refresh tokens', () => {
  const app = sharedTestApp(new RefreshApp({ admin: true }));

  describeLogins('of kit-auth-refresh', { checksWithoutPromise: true, renews: true }, () => ({
    logins: app.logins,
    users: [loginUser({ userId: 1, username: 'admin' }), loginUser({ userId: 2, username: 'grace' })],
  }));

  it('end one by one, and all at once', async () => {
    const user = await app.user();
    const [own, one, two] = [await app.open(user), await app.open(user), await app.open(user)];
    const { json: listed } = await app.call(own.token, 'GET', 'sessions');
    expect(listed.map(({ id, current }: { id: string; current: boolean }) => [id, current])).toEqual(
      expect.arrayContaining([
        [own.id, true],
        [one.id, false],
        [two.id, false],
      ]),
    );
    expect((await app.call(own.token, 'DELETE', `sessions/${one.id}`)).status).toBe(204);
    expect([await app.outcomeOf(one.refreshToken), await app.stateOf(one.token)]).toEqual([
      '40101 logged-out',
      '40101 logged-out',
    ]);
    await app.logins.endAllOf(user.id);
    expect([await app.outcomeOf(own.refreshToken), await app.stateOf(two.token)]).toEqual([
      '40101 kicked',
      '40101 kicked',
    ]);
  });

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

  it('end with a user who is disabled by other means than an endpoint', async () => {
    const user = await app.user();
    const login = await app.open(user);
    await app.users.update({ id: user.id }, { status: AuthUserStatus.DISABLED });
    expect(await app.outcomeOf(login.refreshToken)).toBe('40101 disabled');
    await app.users.update({ id: user.id }, { status: AuthUserStatus.ENABLED });
    expect(await app.outcomeOf(login.refreshToken)).toBe('40101 disabled');
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

  it('are replaced by a renewal, which a token of before does not end', async () => {
    const user = await app.user();
    const login = await app.open(user);
    const { json: me } = await app.call(login.token, 'GET', 'me');
    const proof = { loginId: login.id, factors: { password: 1_800_000_000 } };
    const { answer } =
      (await app.logins.renew?.({ user: { ...loginUser(), ...me }, proof }, undefined)) ?? {};
    expect(await app.outcomeOf(login.refreshToken)).toBe('40101 replaced');
    const { json } = await app.refresh(answer?.['refreshToken']);
    expect(claimsOf(json.token)).toMatchObject({ sid: login.id, factors: proof.factors });
    expect(await app.outcomeOf(login.refreshToken)).toBe('40101 reused');
  });
});

const WITHOUT_SECRET = {
  jwt: { keys: [{ kid: 'a', alg: 'HS256' as const, key: 'k'.repeat(32) }], secret: undefined },
};

describe('refresh tokens', () => {
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

  it('end for other instances within checkSeconds', async () => {
    const moveDate = freezeDate();
    const [app, other] = await twoApps({ checkSeconds: 5 });
    const user = await app.user();
    const login = await app.open(user);
    await other.logins.end(user.id, login.id);
    moveDate(4999);
    expect(await app.stateOf(login.token)).toBe('live');
    moveDate(1);
    expect(await app.stateOf(login.token)).toBe('40101 kicked');
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

  it('are given by AuthManager too', async () => {
    const app = await new RefreshApp().start();
    const answer = (await app.get(AuthManager).login('admin', 'admin')) as unknown as Record<string, string>;
    expect(await app.outcomeOf(answer['refreshToken'] ?? '')).toBe('200');
  });

  it('travel in cookies where there is a transport for them, and a body wins', async () => {
    const app = await new RefreshApp({ imports: [KitAuthBrowserModule] }).start();
    const { username } = await app.user();
    const browser = ['Sec-Fetch-Site: same-origin'];
    const login = await app.login(username, PASSWORD, ...browser);
    expect(Object.keys(login.json).sort()).toEqual(['expiresAt', 'user']);
    const refresh = (token: string, body?: object) =>
      app.request('/v1/api/auth/token/refresh', {
        method: 'POST',
        headers: [...browser, `Cookie: __Host-kit-auth-refresh=${token}`],
        ...(body !== undefined && { json: body }),
      });
    const cookie = cookiesOf(login)['__Host-kit-auth-refresh'] as string;
    const refreshed = await refresh(cookie);
    expect([refreshed.status, Object.keys(refreshed.json).sort()]).toEqual([200, ['expiresAt', 'user']]);
    const next = cookiesOf(refreshed)['__Host-kit-auth-refresh'] as string;
    expect((await refresh(next, { refreshToken: 'x' })).json.reason).toBe('malformed');
    await app.endToken(next);
    const refused = await refresh(next);
    expect(refused.json.reason).toBe('logged-out');
    expect(cookiesOf(refused)['__Host-kit-auth-refresh']).toBe('');
    const inBody = await refresh('', { refreshToken: next });
    expect([inBody.json.reason, cookiesOf(inBody)]).toEqual(['logged-out', {}]);
  });

  it.each([false, true])('are described in an OpenAPI document, with cookies: %s', async (cookie) => {
    const app = await new RefreshApp(cookie ? { imports: [KitAuthBrowserModule] } : {}).start();
    const created = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const document = documentKitAuth(created, app.nest);
    const operation = (path: string) => document.paths[`/v1/api/auth/${path}`]!.post as any;
    const answers = ['login', 'token/refresh'].map(
      (path) => operation(path).responses['200'].content['application/json'].schema,
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(Object.keys(answers[0].properties)).toEqual(['token', 'user', 'expiresAt', 'refreshToken']);
    const always = ['user', 'expiresAt'];
    expect(answers[0].required).toEqual(cookie ? always : ['token', ...always, 'refreshToken']);
    expect(operation('token/end').responses['204']).toBeDefined();
    expect(operation('token/refresh').security ?? []).toEqual([]);
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

async function twoApps(refresh: object): Promise<[RefreshApp, RefreshApp]> {
  const database = sharedDatabase('sqlite');
  await database.recreate();
  const first = await new RefreshApp({ database, refresh }).start();
  return [first, await new RefreshApp({ database, refresh }).start()];
}

function ownUsers() {
  return KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } });
}

/** The cookies that an answer sets. */
function cookiesOf({ cookies }: Answer): Record<string, string> {
  return Object.fromEntries(
    cookies.map((line) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      return [name, value];
    }),
  );
}
