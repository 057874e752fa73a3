import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AUTH_LOGINS, AUTH_PROVIDER, type AuthLogins, type AuthProvider, RouteAccessReport } from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { SUPER_ADMIN, type AuthUser } from 'kit-auth/typeorm';
import { type Answer, freezeDate, PASSWORD, sharedTestApp, totpCode } from 'test-support';
import { BrowserApp, OWN_PAGE, sentBack } from './app.js';

const DAY = 86_400;
const NAMES = ['__Host-kit-auth', '__Host-kit-auth-refresh', '__Host-kit-auth-remember'];

/** The cookies that an answer sets: names, values and the seconds that they last. */
function setBy({ cookies }: Answer): { name: string; value: string; age: number | undefined }[] {
  return cookies.map((line) => {
    const [, name, value, age] =
      /^([\w-]+)=([^;]*); Path=\/; Secure; HttpOnly; SameSite=Lax(?:; Max-Age=(\d+))?$/.exec(line) ?? [];
    return { name: name!, value: value!, age: age === undefined ? undefined : Number(age) };
  });
}

const agesOf = (answer: Answer) => setBy(answer).map(({ name, age }) => [name, age]);
const CLEARED = NAMES.map((name) => [name, 0]);

describe('cookies with refresh tokens', () => {
  const app = sharedTestApp(
    new BrowserApp(
      {},
      { platform: 'fastify', admin: true, imports: [KitAuthRefreshModule.forRoot({ idleDays: 20 })] },
    ),
  );
  let ada: AuthUser;
  beforeAll(async () => {
    ada = await app.user();
  });
  const logIn = (more: object = {}) =>
    app.request('/v1/api/auth/login', {
      method: 'POST',
      json: { username: ada.username, password: PASSWORD, ...more },
      headers: [OWN_PAGE],
    });
  const token = (path: 'refresh' | 'end', cookie: string, ...headers: string[]) =>
    app.request(`/v1/api/auth/token/${path}`, { method: 'POST', headers: [`Cookie: ${cookie}`, ...headers] });
  const me = (cookie: string) => app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookie}`] });

  it('are two, which a refresh replaces, and no body has a token', async () => {
    const login = await logIn();
    const refreshed = await token('refresh', sentBack(login), OWN_PAGE);
    for (const answer of [login, refreshed]) {
      expect([answer.status, Object.keys(answer.json).sort()]).toEqual([200, ['expiresAt', 'user']]);
      expect(agesOf(answer)).toEqual([
        [NAMES[0], undefined],
        [NAMES[1], undefined],
      ]);
      expect((await me(sentBack(answer))).json.username).toBe(ada.username);
    }
    expect(setBy(refreshed)[1]!.value).not.toBe(setBy(login)[1]!.value);
  });

  it('are not for other clients: they refresh with bodies, which win', async () => {
    const { json } = await app.login(ada.username);
    const answer = await app.call(undefined, 'POST', 'token/refresh', { refreshToken: json.refreshToken });
    expect(Object.keys(answer.json).sort()).toEqual(['expiresAt', 'refreshToken', 'token', 'user']);
    expect(answer.cookies).toEqual([]);
    const inBody = await app.request('/v1/api/auth/token/refresh', {
      method: 'POST',
      json: { refreshToken: 'x' },
      headers: [`Cookie: ${sentBack(await logIn())}`, OWN_PAGE],
    });
    expect([inBody.json.reason, inBody.cookies]).toEqual(['malformed', []]);
  });

  it('are not used for pages of other origins', async () => {
    const cookie = sentBack(await logIn());
    for (const path of ['refresh', 'end'] as const) {
      const { json, cookies } = await token(path, cookie, 'Sec-Fetch-Site: cross-site');
      expect([json.code, json.reason, cookies]).toEqual([40302, 'cross-site', []]);
    }
    expect((await token('refresh', cookie, OWN_PAGE)).status).toBe(200);
  });

  it('are cleared by a refused refresh, and by no other 401', async () => {
    const cookie = sentBack(await logIn());
    expect((await token('end', cookie, OWN_PAGE)).status).toBe(204);
    const refused = await token('refresh', cookie, OWN_PAGE);
    expect([refused.json.code, refused.json.reason, agesOf(refused)]).toEqual([40101, 'logged-out', CLEARED]);
    const other = await me(cookie);
    expect([other.status, other.cookies]).toEqual([401, []]);
    const twice = await token('refresh', `${cookie}; ${cookie}`, OWN_PAGE);
    expect([twice.json.code, twice.json.reason, twice.cookies]).toEqual([40101, 'malformed', []]);
    expect((await token('refresh', 'other=1', OWN_PAGE)).json.code).toBe(40000);
  });

  it('are cleared by token/end and by a logout', async () => {
    const [first, second] = [sentBack(await logIn()), sentBack(await logIn())];
    const ended = await token('end', first, OWN_PAGE);
    expect([ended.status, agesOf(ended)]).toEqual([204, CLEARED]);
    const logout = await app.request('/v1/api/auth/logout', {
      method: 'POST',
      headers: [`Cookie: ${second}`, OWN_PAGE],
    });
    expect([logout.status, agesOf(logout)]).toEqual([204, CLEARED]);
    expect([(await me(first)).status, (await me(second)).status]).toEqual([401, 401]);
  });

  it('last as long as a remembered login', async () => {
    const moveDate = freezeDate(1_900_000_000_000);
    const login = await logIn({ remember: true });
    expect(agesOf(login)).toEqual(NAMES.map((name) => [name, 30 * DAY]));
    moveDate(10 * DAY * 1000);
    const refreshed = await token('refresh', sentBack(login), OWN_PAGE);
    expect(agesOf(refreshed)).toEqual(NAMES.map((name) => [name, 20 * DAY]));
    moveDate(10 * DAY * 1000);
    expect(agesOf(await token('refresh', sentBack(refreshed), OWN_PAGE))).toEqual(
      NAMES.map((name) => [name, 10 * DAY]),
    );
  });

  it('fail a login whose token does not fit, and nothing of it is left', async () => {
    const permissions = Array.from({ length: 250 }, (_, i) => `area-${i}:read-everything`);
    const user = await app.user({ roles: [await app.role({ permissions })] });
    expect((await app.login(user.username)).status).toBe(200);
    const { json, cookies } = await app.login(user.username, PASSWORD, OWN_PAGE);
    expect([json.code, cookies]).toEqual([50300, []]);
    expect(app.logs.lines.at(-1)?.text).toMatch(
      /cookie cannot be set: it has \d+ bytes, .* kit-auth-session/,
    );
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(user.id)).toHaveLength(1);
  });

  /** Roles with which the token no longer fits into a cookie, or not into a header either. */
  const grow = async (user: AuthUser, count: number) => {
    const permissions = Array.from({ length: count }, (_, i) => `note-${i}:read`);
    user.roles = count === 0 ? [] : [await app.role({ permissions })];
    await app.users.save(user);
  };

  it('keep the login when those of a refresh no longer fit, which a later refresh can use', async () => {
    const user = await app.user();
    const login = await app.login(user.username, PASSWORD, OWN_PAGE);
    await grow(user, 400);
    for (let i = 0; i < 2; i++) {
      const refused = await token('refresh', sentBack(login), OWN_PAGE);
      expect([refused.json.code, refused.cookies]).toEqual([50300, []]);
    }
    expect(app.logs.lines.at(-1)?.text).toMatch(/cookie cannot be set: it has \d+ bytes/);
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(user.id)).toHaveLength(1);
    await grow(user, 0);
    const refreshed = await token('refresh', sentBack(login), OWN_PAGE);
    expect([refreshed.status, (await me(sentBack(refreshed))).status]).toEqual([200, 200]);
  });

  it.each([
    ['a cookie', 400],
    ['a header', 4000],
  ])('keep the login when the token of a confirmation no longer fits into %s', async (_, count) => {
    const user = await app.user();
    const login = await app.login(user.username, PASSWORD, OWN_PAGE);
    await grow(user, count);
    const fresh = () =>
      app.request('/v1/api/auth/fresh', {
        method: 'POST',
        json: { password: PASSWORD },
        headers: [`Cookie: ${sentBack(login)}`, OWN_PAGE],
      });
    const refused = await fresh();
    expect([refused.json.code, refused.cookies]).toEqual([50300, []]);
    await grow(user, 0);
    expect((await token('refresh', sentBack(login), OWN_PAGE)).status).toBe(200);
  });

  it('are replaced when the user shows the password again, and stay remembered', async () => {
    const moveDate = freezeDate(1_900_000_000_000);
    const fresh = (cookie: string) =>
      app.request('/v1/api/auth/fresh', {
        method: 'POST',
        json: { password: PASSWORD },
        headers: [`Cookie: ${cookie}`, OWN_PAGE],
      });
    const login = await logIn({ remember: true });
    moveDate(60_000);
    const answer = await fresh(sentBack(login));
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([200, ['expiresAt', 'user']]);
    expect(agesOf(answer)).toEqual(NAMES.map((name) => [name, 30 * DAY - 60]));
    expect((await token('refresh', sentBack(answer), OWN_PAGE)).status).toBe(200);
    expect(agesOf(await fresh(sentBack(await logIn())))).toEqual([
      [NAMES[0], undefined],
      [NAMES[1], undefined],
    ]);
  });

  it('hide every token from the page, whichever endpoint it calls', async () => {
    const admin = await app.user({ roles: [SUPER_ADMIN], password: PASSWORD });
    const changed = await app.user();
    const issued = jest.spyOn(app.get<AuthProvider>(AUTH_PROVIDER), 'issueToken');
    const routes = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ path }) => path.startsWith('/v1/api/auth/'));
    expect(routes.length).toBeGreaterThan(20);
    const json = {
      username: admin.username,
      password: PASSWORD,
      currentPassword: PASSWORD,
      newPassword: PASSWORD,
      nickname: 'x',
      code: 'x',
      name: 'x',
      ids: [],
      roles: [],
      permissions: [],
    };
    for (const { method, path } of routes) {
      const cookie = sentBack(await app.login(admin.username, PASSWORD, OWN_PAGE));
      const hidden = cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
      const { lines, text } = await app.request(path.replace(/:\w+/g, String(changed.id)), {
        method,
        headers: [`Cookie: ${cookie}`, OWN_PAGE],
        ...(method !== 'GET' && { json }),
      });
      const readable = [...lines.filter((line) => !/^set-cookie:.*; HttpOnly/i.test(line)), text].join('\n');
      const tokens = [...hidden, ...(await Promise.all(issued.mock.results.map(({ value }) => value)))];
      expect(tokens.length).toBeGreaterThan(2);
      expect([`${method} ${path}`, tokens.filter((token) => readable.includes(token as string))]).toEqual([
        `${method} ${path}`,
        [],
      ]);
      expect(readable).not.toContain('katr_');
    }
    issued.mockRestore();
  });
});

describe('a login whose token does not fit into a cookie', () => {
  const app = sharedTestApp(
    new BrowserApp(
      {},
      {
        platform: 'express',
        imports: [
          KitAuthRefreshModule.forRoot({ maxPerUser: 1 }),
          KitAuthFactorsModule.forRoot({
            keys: ['a key of at least 32 bytes, for tests'],
            issuer: 'Example',
          }),
        ],
      },
    ),
  );
  const grow = async (user: AuthUser) => {
    const permissions = Array.from({ length: 400 }, (_, i) => `note-${i}:read`);
    user.roles = [await app.role({ permissions })];
    await app.users.save(user);
  };

  it('ends no other one', async () => {
    const user = await app.user();
    await app.login(user.username);
    const before = await app.get<AuthLogins>(AUTH_LOGINS).listOf(user.id);
    await grow(user);
    expect((await app.login(user.username, PASSWORD, OWN_PAGE)).json.code).toBe(50300);
    expect(await app.get<AuthLogins>(AUTH_LOGINS).listOf(user.id)).toEqual(before);
  });

  it('uses up no code', async () => {
    const user = await app.user();
    const moveDate = freezeDate(1_900_000_000_000);
    const token = await app.tokenOf(user);
    const added = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const { json } = await app.call(token, 'POST', `factors/totp/${added.json.id}/confirm`, {
      code: totpCode(added.json.secret),
    });
    await grow(user);
    moveDate(60_000);
    const challenge = (await app.login(user.username, PASSWORD, OWN_PAGE)).json.challenge as string;
    const complete = (...headers: string[]) =>
      app.request('/v1/api/auth/login/factor', {
        method: 'POST',
        json: { challenge, factor: 'recovery', code: json.recoveryCodes[0] },
        headers,
      });
    expect((await complete(OWN_PAGE)).json.code).toBe(50300);
    expect((await complete()).status).toBe(200); // another client gets the token in the body
  });
});
