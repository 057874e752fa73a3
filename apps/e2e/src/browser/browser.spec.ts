import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthProvider, AUTH_PROVIDER, TOKEN_TRANSPORT, type TokenTransport } from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import { describeTokenTransport } from 'kit-auth-testing';
import { bearer, EVERYWHERE, freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { BrowserApp, OWN_PAGE } from './app.js';

const SET = /^__Host-kit-auth=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/;
const CLEARED = ['', '-refresh', '-remember'].map(
  (suffix) => `__Host-kit-auth${suffix}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`,
);
const BODY_ORIGIN = 'capacitor://localhost';

function ownCookie(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Set-Cookie', 'own=1; Path=/');
  next();
}

describe.each(EVERYWHERE)('cookies of browsers on $platform with $provider', (where) => {
  const app = sharedTestApp(
    new BrowserApp(
      { origins: ['https://front.example'], bodyOrigins: [BODY_ORIGIN] },
      { ...where, configure: (nest) => nest.use(ownCookie) },
    ),
  );
  let ada: AuthUser;
  let cookie: string;
  const me = (...headers: string[]) => app.request('/v1/api/auth/me', { headers });
  const logIn = (json: object, ...headers: string[]) =>
    app.request('/v1/api/auth/login', {
      method: 'POST',
      json: { username: ada.username, password: PASSWORD, ...json },
      headers,
    });

  beforeAll(async () => {
    ada = await app.user();
    cookie = await app.cookieOf(ada);
  });

  describeTokenTransport('kit-auth-browser', {}, () => ({
    transport: app.get<TokenTransport>(TOKEN_TRANSPORT),
  }));

  it('carry the token of a login, which is in no body', async () => {
    const answer = await app.login(ada.username, PASSWORD, OWN_PAGE);
    expect(answer.json).toEqual({ user: expect.objectContaining({ username: ada.username }) });
    expect(answer.cookies).toEqual(['own=1; Path=/', expect.stringMatching(SET)]);
    const failed = await app.login(ada.username, 'wrong', OWN_PAGE);
    expect([failed.json.code, failed.cookies]).toEqual([40110, ['own=1; Path=/']]);
  });

  it('are for browsers: other clients and pages of bodyOrigins get bodies', async () => {
    for (const headers of [
      [],
      [`Origin: ${BODY_ORIGIN}`],
      [`Origin: ${BODY_ORIGIN}`, 'Sec-Fetch-Site: cross-site'],
    ]) {
      const { json, cookies } = await app.login(ada.username, PASSWORD, ...headers);
      expect([Object.keys(json).sort(), cookies]).toEqual([['token', 'user'], ['own=1; Path=/']]);
      expect(await app.stateOf(json.token)).toBe('live');
    }
    const { json, cookies } = await app.login(ada.username, PASSWORD, 'Origin: https://front.example');
    expect([Object.keys(json), cookies.length]).toEqual([['user'], 2]);
  });

  it('end with the browser, unless they are remembered for the life of the login', async () => {
    freezeDate(1_900_000_000_000);
    const { cookies } = await logIn({ remember: true }, OWN_PAGE);
    const age = `Max-Age=43200`;
    expect(cookies.slice(1)).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-kit-auth=[^;]+; Path=/; Secure; HttpOnly; SameSite=Lax; ${age}$`),
      ),
      `__Host-kit-auth-remember=1; Path=/; Secure; HttpOnly; SameSite=Lax; ${age}`,
    ]);
    const remembered = cookies[2]!.split(';')[0]!;
    expect((await logIn({ remember: false }, OWN_PAGE, `Cookie: ${remembered}`)).cookies.slice(1)).toEqual([
      expect.stringMatching(SET),
      CLEARED[2],
    ]);
    expect((await logIn({ remember: true })).cookies).toEqual(['own=1; Path=/']);
  });

  it('authenticate requests, and what belongs to other names does not matter', async () => {
    for (const line of [
      `Cookie: other=1; ${cookie}`,
      `Cookie: a=1\r\nCookie: ${cookie}\r\nCookie: b=2`,
      `Cookie: ${cookie}; a=${'x'.repeat(14_000)}`,
    ]) {
      expect((await me(line)).json).toMatchObject({ username: ada.username });
    }
    for (const line of ['Cookie: __Host-kit-auth=', `Cookie: other${cookie}`]) {
      expect((await me(line)).json.code).toBe(40100);
    }
  });

  it('that come in two lines are 40101', async () => {
    const { json, cookies } = await me(`Cookie: ${cookie}\r\nCookie: __Host-kit-auth=x`);
    expect([json.code, json.reason, cookies]).toEqual([40101, 'malformed', ['own=1; Path=/']]);
  });

  it('are not read where there is a token header: its user wins', async () => {
    const other = await app.user();
    const token = await app.tokenOf(other);
    expect((await me(`Cookie: ${cookie}`, bearer(token))).json.username).toBe(other.username);
    expect((await me(`Cookie: ${cookie}; ${cookie}`, bearer(token))).status).toBe(200);
    expect((await me(`Cookie: ${cookie}`, bearer('x'))).json.code).toBe(40101);
    expect((await me(`Cookie: ${cookie}`, 'Authorization: Basic x')).json.code).toBe(40100);
    expect(await app.post(cookie, 'Sec-Fetch-Site: cross-site', bearer(token))).toBe('done');
    const { status, cookies } = await app.request('/v1/api/auth/logout', {
      method: 'POST',
      headers: [`Cookie: ${cookie}`, bearer(token)],
    });
    expect([status, cookies]).toEqual([204, ['own=1; Path=/']]);
    expect((await me(`Cookie: ${cookie}`)).status).toBe(200);
  });

  it('keep answers out of shared caches, unless the handler says otherwise', async () => {
    const cacheControl = async (path: string, ...headers: string[]) =>
      (await app.request(path, { headers })).headers['cache-control'];
    expect(await cacheControl('/v1/notes', `Cookie: ${cookie}`)).toBe('private');
    expect(await cacheControl('/v1/notes/shared', `Cookie: ${cookie}`)).toBe('public, max-age=60');
    expect(await cacheControl('/v1/notes', bearer(await app.tokenOf(ada)))).toBeUndefined();
    expect(await cacheControl('/v1/notes/published', `Cookie: ${cookie}`)).toBeUndefined();
  });

  it('are cleared by a logout, and by no refusal', async () => {
    const own = await app.cookieOf(ada);
    const logout = () =>
      app.request('/v1/api/auth/logout', { method: 'POST', headers: [`Cookie: ${own}`, OWN_PAGE] });
    const answer = await logout();
    expect([answer.status, answer.cookies]).toEqual([204, ['own=1; Path=/', ...CLEARED]]);
    const { status, cookies } = await me(`Cookie: ${own}`);
    expect([status, cookies]).toEqual([where.provider === 'session' ? 401 : 200, ['own=1; Path=/']]);
  });

  it('fail a login whose token does not fit, with a line in the log', async () => {
    const provider = app.get<AuthProvider>(AUTH_PROVIDER);
    jest.spyOn(provider, 'issueToken').mockResolvedValueOnce('x'.repeat(4096));
    const { json, cookies } = await app.login(ada.username, PASSWORD, OWN_PAGE);
    expect([json.code, cookies]).toEqual([50300, ['own=1; Path=/']]);
    expect(app.logs.lines.at(-1)?.text).toContain('kit-auth-session');
  });
});
