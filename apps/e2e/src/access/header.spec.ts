import { beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, EVERYWHERE, send, sharedTestApp } from 'test-support';

const ME = '/v1/api/auth/me';

// What the reader makes of the header is in packages/kit-auth/src/guard/token.reader.spec.ts.
describe.each(EVERYWHERE)('the token header on $platform with $provider', (where) => {
  const app = sharedTestApp(where);
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });

  const ask = (...headers: string[]) => app.request(ME, { headers });

  it.each([
    ['none', [], 'No token was sent, log in first'],
    ['the scheme alone', ['Authorization: Bearer'], /^The header Authorization holds no token/],
    [
      'elsewhere',
      ['Cookie: Authorization=Bearer TOKEN', 'Proxy-Authorization: Bearer TOKEN', 'Token: TOKEN'],
      'No token was sent, log in first',
    ],
  ])('%s is 40100', async (_name, headers, message) => {
    const answer = await ask(...headers.map((line) => line.replaceAll('TOKEN', token)));
    expect(answer.json).toEqual({
      statusCode: 401,
      code: 40100,
      error: 'TOKEN_MISSING',
      message: expect.stringMatching(message),
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="kit-auth"');
    expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it('a token in the query or the body is 40100', async () => {
    for (const name of ['token', 'access_token', 'Authorization']) {
      expect(await app.codeOf(undefined, `${ME}?${name}=${token}`)).toBe(40100);
    }
    const json = { access_token: token, currentPassword: 'a', newPassword: 'b' };
    expect((await app.call(undefined, 'POST', 'password', json)).json.code).toBe(40100);
  });

  it.each([
    ['a comma', 'Authorization: Bearer TOKEN, Bearer TOKEN'],
    ['Latin-1', 'Authorization: Bearer caf\u00e9'],
    ['15 KB', `Authorization: Bearer ${'a.'.repeat(7_500)}`],
  ])('%s is 40101', async (_name, line) => {
    const answer = await ask(line.replaceAll('TOKEN', token));
    expect(answer.json).toMatchObject({ code: 40101, error: 'TOKEN_INVALID', reason: 'malformed' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="kit-auth", error="invalid_token"');
    expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store']);
    expect(answer.text).not.toContain(token);
  });

  it('a header that comes twice is 40101, in both orders', async () => {
    for (const [first, second] of [
      [bearer(token), bearer(token)],
      [bearer('x'), bearer(token)],
      ['Authorization: Basic YTpi', bearer(token)],
      [bearer(token), 'authorization: Basic YTpi'],
    ] as const) {
      expect((await ask(first, second)).json.code).toBe(40101);
    }
  });

  it('may have other spellings, and be sent with HTTP/1.0', async () => {
    for (const line of [`authorization: Bearer ${token}`, `aUtHoRiZaTiOn:  Bearer ${token}   `]) {
      expect((await ask(line)).status).toBe(200);
    }
    expect((await send(app.port, `GET ${ME} HTTP/1.0\r\n${bearer(token)}\r\n\r\n`)).status).toBe(200);
  });
});
