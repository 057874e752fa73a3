import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AuthEvent } from 'kit-auth';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import type { AuthUser } from 'kit-auth/typeorm';
import { BOTH, freezeDate, sharedTestApp, testApp } from 'test-support';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { BrowserApp, OWN_PAGE, sentBack } from './app.js';

const FRONT = 'https://front.example';
const BODIES = 'capacitor://localhost';

describe.each(BOTH)('the origin rule on %s', (platform) => {
  const app = sharedTestApp(
    new BrowserApp(
      { origins: [FRONT], bodyOrigins: [BODIES] },
      { platform, provider: 'session', trustProxy: true, imports: [EventEmitterModule.forRoot()] },
    ),
  );
  let ada: AuthUser;
  let cookie: string;
  beforeAll(async () => {
    ada = await app.user();
    cookie = await app.cookieOf(ada);
  });
  const logInFrom = async (...headers: string[]) => {
    const { status, json, cookies } = await app.login(ada.username, undefined, ...headers);
    return status === 200 ? `${cookies.length} cookies` : `${json.code} ${json.reason}`;
  };
  const get = async (path: string, ...headers: string[]) => {
    const { status, json } = await app.request(path, { headers: [`Cookie: ${cookie}`, ...headers] });
    return status === 200 ? 'done' : `${json.code} ${json.reason}`;
  };

  it.each([
    ['done', [OWN_PAGE]],
    ['done', [`Origin: ${FRONT}`, 'Sec-Fetch-Site: cross-site']],
    ['done', ['Origin: https://app.example', 'X-Forwarded-Host: app.example', 'X-Forwarded-Proto: https']],
    [
      '40302 origin',
      ['Origin: http://app.example', 'X-Forwarded-Host: app.example', 'X-Forwarded-Proto: https'],
    ],
    ['40302 origin', [`Origin: ${FRONT}`, 'Origin: http://localhost']],
    ['40302 same-site', ['Sec-Fetch-Site: same-site', 'Origin: https://sub.localhost']],
    ['40302 unknown', []],
  ])('answers %s to a POST with a cookie and %j', async (outcome, headers) => {
    expect(await app.post(cookie, ...headers)).toBe(outcome);
  });

  it.each([
    ['1 cookies', [OWN_PAGE]],
    ['1 cookies', [`Origin: ${FRONT}`, 'Sec-Fetch-Site: cross-site']],
    ['0 cookies', [`Origin: ${BODIES}`, 'Sec-Fetch-Site: cross-site']],
    ['0 cookies', []],
    ['40302 cross-site', ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example']],
    ['40302 origin', [`Origin: ${BODIES}`, `Origin: ${BODIES}`]],
  ])('answers %s to a login with %j', async (outcome, headers) => {
    expect(await logInFrom(...headers)).toBe(outcome);
  });

  it('refuses forms of other sites before it reads them', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const { json, cookies } = await app.request('/v1/api/auth/login', {
        method: 'POST',
        headers: ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example', `Content-Type: ${type}`],
        body: '{"username":"mallory","password":"x"}',
      });
      // Fastify has no parser for these types, and refuses them first.
      expect([403, 415]).toContain(json.statusCode);
      expect(cookies).toEqual([]);
    }
  });

  it('says so as every refusal does, and the login stays', async () => {
    const answer = await app.request('/v1/notes', { method: 'POST', headers: [`Cookie: ${cookie}`] });
    expect(answer.json).toEqual({
      statusCode: 403,
      code: 40302,
      error: 'CROSS_ORIGIN',
      reason: 'unknown',
      message: 'Requests from other origins are not allowed',
    });
    expect([answer.headers['cache-control'], answer.cookies]).toEqual(['no-store', []]);
    expect(await app.post(cookie, OWN_PAGE)).toBe('done');
  });

  it('lets GET pass, but for @SameOrigin()', async () => {
    expect(await get('/v1/notes', 'Sec-Fetch-Site: cross-site')).toBe('done');
    expect(await get('/v1/notes/export', OWN_PAGE)).toBe('done');
    expect(await get('/v1/notes/export', 'Sec-Fetch-Site: cross-site')).toBe('40302 cross-site');
    expect(await get('/v1/notes/export', 'Sec-Fetch-Site: none')).toBe('done');
    expect(await get('/v1/notes/export', 'Sec-Fetch-Site: none', 'Sec-Purpose: prefetch')).toBe(
      '40302 unknown',
    );
    const { json } = await app.login(ada.username);
    const { status } = await app.request('/v1/notes/export', { token: json.token });
    expect(status).toBe(200);
  });

  it('publishes an event, and counts its repetitions', async () => {
    const moveDate = freezeDate();
    moveDate(60_000); // the refusals of the tests before are over
    const events: AuthEvent[] = [];
    app.get(EventEmitter2).on('kit-auth.cross-origin-refused', (event) => events.push(event as AuthEvent));
    await app.post(cookie, 'Origin: https://evil.example');
    await app.post(cookie, 'Sec-Fetch-Site: cross-site');
    await logInFrom('Origin: https://evil.example');
    expect(events.filter(({ detail }) => !/^\d+ more: /.test(detail!))).toEqual([
      expect.objectContaining({
        type: 'cross-origin-refused',
        success: false,
        actorId: null,
        address: '127.0.0.1',
        detail: 'origin: POST /v1/notes of https://evil.example',
      }),
    ]);
  });
});

describe('the module of browsers', () => {
  it('writes cookies without Secure for localhost alone, where that is switched on', async () => {
    const imports = [KitAuthBrowserModule.forRoot({ insecureLocalhost: true })];
    const app = await testApp({ imports, trustProxy: true });
    const insecure = await app.login('admin', 'admin', OWN_PAGE);
    expect(insecure.cookies).toEqual([
      expect.stringMatching(/^kit-auth=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = sentBack(insecure);
    expect((await app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookie}`] })).status).toBe(200);
    const { cookies } = await app.login('admin', 'admin', OWN_PAGE, 'X-Forwarded-Host: app.example');
    expect(cookies).toEqual([expect.stringMatching(/^__Host-kit-auth=.*; Secure;/)]);
  });
});
