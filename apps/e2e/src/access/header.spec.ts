import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, EVERYWHERE, send, sharedTestApp, testApp } from 'test-support';
import { SHOP } from './shop.controllers.js';

describe.each(EVERYWHERE)('the token header on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers: SHOP });
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });

  const ask = (...headers: string[]) => app.request('/v1/orders', { headers });

  it.each([
    ['none', []],
    ['empty', ['Authorization:']],
    ['the scheme alone', ['Authorization: Bearer']],
    ['a cookie', ['Cookie: Authorization=Bearer TOKEN; token=TOKEN']],
    [
      'another header',
      ['X-Authorization: Bearer TOKEN', 'Proxy-Authorization: Bearer TOKEN', 'Token: TOKEN'],
    ],
  ])('%s is 40100', async (_name, headers) => {
    const answer = await ask(...headers.map((line) => line.replaceAll('TOKEN', token)));
    expect(answer.json).toEqual({
      statusCode: 401,
      code: 40100,
      error: 'TOKEN_MISSING',
      message: headers.some((line) => line.startsWith('Authorization:'))
        ? 'The header Authorization holds no token: send "Authorization: Bearer <token>", with the prefix in exactly this spelling'
        : 'No token was sent, log in first',
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="kit-auth"');
    expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it('a token in the query or the body is 40100', async () => {
    for (const name of ['token', 'access_token', 'Authorization']) {
      expect((await app.request(`/v1/orders?${name}=${token}`)).json.code).toBe(40100);
    }
    const body = `access_token=${token}`;
    const headers = ['Content-Type: application/x-www-form-urlencoded'];
    const answer = await app.request('/v1/orders', { method: 'POST', headers, body });
    expect([401, 415]).toContain(answer.status);
  });

  it.each([
    ['a comma', 'Authorization: Bearer TOKEN, Bearer TOKEN'],
    ['Latin-1', 'Authorization: Bearer caf\u00e9'],
    ['nonsense', 'Authorization: Bearer nonsense'],
    ['15 KB', `Authorization: Bearer ${'a.'.repeat(7_500)}`],
  ])('%s is 40101', async (_name, line) => {
    const answer = await ask(line.replaceAll('TOKEN', token));
    expect(answer.json).toEqual({
      statusCode: 401,
      code: 40101,
      error: 'TOKEN_INVALID',
      message: expect.any(String),
      reason: 'malformed',
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="kit-auth", error="invalid_token"');
    expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store']);
    expect(answer.text).not.toContain(token);
  });

  it('a header that a middleware has written is 40100, and the message says so', async () => {
    const rewriting = await testApp({
      ...where,
      controllers: SHOP,
      configure: (nest) =>
        nest.use(({ headers }: IncomingMessage, _response: unknown, next: () => void) => {
          headers.authorization = String(headers['x-token']);
          next();
        }),
    });
    const line = `X-Token: Bearer ${await rewriting.adminToken()}`;
    const { json, text } = await rewriting.request('/v1/orders', { headers: [line] });
    expect([json.code, json.message]).toEqual([
      40100,
      expect.stringMatching(/^The header Authorization was added or changed in the application/),
    ]);
    expect(text).not.toContain(line.slice(-20));
  });

  it('a header that comes twice is 40101, in both orders', async () => {
    expect((await ask(bearer(token), bearer(token))).json.code).toBe(40101);
    expect((await ask(bearer(token), bearer('x'))).json.code).toBe(40101);
    expect((await ask(bearer('x'), bearer(token))).json.code).toBe(40101);
    expect((await ask('Authorization: Basic YTpi', bearer(token))).json.code).toBe(40101);
    expect((await ask(bearer(token), 'authorization: Basic YTpi')).json.code).toBe(40101);
  });

  it.each(['authorization', 'AUTHORIZATION', 'aUtHoRiZaTiOn'])('%s is the same header', async (name) => {
    expect((await ask(`${name}: Bearer ${token}`)).status).toBe(200);
    expect((await ask(`${name}:Bearer ${token}`)).status).toBe(200);
    expect((await ask(`${name}:   Bearer ${token}   `)).status).toBe(200);
  });

  it.each([
    ['a NUL', 'Authorization: Bearer \0'],
    ['a folded line', 'Authorization: Bearer\r\n x'],
    ['a space before the colon', 'Authorization : Bearer x'],
    ['a line feed', 'Authorization: Bearer x\ny'],
  ])('%s is refused by Node itself', async (_name, line) => expect((await ask(line)).status).toBe(400));

  it('20 KB of header are refused by Node itself', async () => {
    expect((await ask(`Authorization: Bearer ${'a'.repeat(20_000)}`)).status).toBe(431);
  });

  it('works over HTTP/1.0', async () => {
    const answer = await send(app.port, `GET /v1/orders HTTP/1.0\r\n${bearer(token)}\r\n\r\n`);
    expect(answer.status).toBe(200);
  });
});
