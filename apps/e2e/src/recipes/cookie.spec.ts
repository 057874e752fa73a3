import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Body, Controller, Post } from '@nestjs/common';
import { TOKEN_TRANSPORT, type TokenTransport } from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import { describeTokenTransport } from 'kit-auth-testing';
import { type Answer, EVERYWHERE, sharedTestApp, sweepOf } from 'test-support';
import { CookieModule } from './cookie.module.js';

@Controller('v1/notes')
class NotesController {
  @Post()
  create(@Body() note: object) {
    return note;
  }
}

/** The cookie of a login, as a browser sends it. */
function cookieOf({ cookies }: Answer): string {
  return cookies.at(-1)!.split(';')[0]!;
}

function ownCookie(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Set-Cookie', 'own=1; Path=/');
  next();
}

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(-1)))('cookies on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    imports: [CookieModule],
    controllers: [NotesController],
    configure: (nest) => nest.use(ownCookie),
  });
  let ada: AuthUser;
  let cookie: string;
  const me = (...headers: string[]) => app.request('/v1/api/auth/me', { headers });
  const post = (...headers: string[]) =>
    app.request('/v1/notes', { method: 'POST', json: {}, headers: [`Cookie: ${cookie}`, ...headers] });

  beforeAll(async () => {
    ada = await app.user();
    cookie = cookieOf(await app.login(ada.username));
  });

  describeTokenTransport('cookies', {}, () => ({ transport: app.get<TokenTransport>(TOKEN_TRANSPORT) }));

  it('carry the token of a login, which is not in its body', async () => {
    const answer = await app.login(ada.username);
    expect(answer.json).toEqual({ user: expect.objectContaining({ username: ada.username }) });
    expect(answer.cookies).toEqual([
      'own=1; Path=/',
      expect.stringMatching(/^__Host-token=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('are not set by a login that fails', async () => {
    const answer = await app.login(ada.username, 'wrong');
    expect([answer.json.code, answer.cookies]).toEqual([40110, ['own=1; Path=/']]);
  });

  it('authenticate requests', async () => {
    expect((await me(`Cookie: other=1; ${cookie}`)).json).toMatchObject({ username: ada.username });
    expect((await me('Cookie: other=1')).json.code).toBe(40100);
    expect((await me('Cookie: __Host-token=x')).json.code).toBe(40101);
    expect((await me(`Cookie: ${cookie}; __Host-token=x`)).json.code).toBe(40101);
  });

  it('authenticate no request of another site', async () => {
    expect((await post('Sec-Fetch-Site: same-origin')).status).toBe(201);
    expect((await post('Sec-Fetch-Site: cross-site')).json.code).toBe(40302);
    expect((await post()).json.code).toBe(40302);
  });

  it('are cleared by a logout', async () => {
    const own = cookieOf(await app.login(ada.username));
    const answer = await app.request('/v1/api/auth/logout', {
      method: 'POST',
      headers: [`Cookie: ${own}`, 'Sec-Fetch-Site: same-origin'],
    });
    expect([answer.status, answer.cookies]).toEqual([
      204,
      ['own=1; Path=/', '__Host-token=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0'],
    ]);
    expect((await me(`Cookie: ${own}`)).status).toBe(where.provider === 'session' ? 401 : 200);
  });
});
