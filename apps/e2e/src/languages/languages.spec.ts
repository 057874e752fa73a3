import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { AuthErrorCode, AuthException, Public, RequireRoles } from 'kit-auth';
import { de, en, KitAuthLanguagesModule } from 'kit-auth-languages';
import { type Answer, EVERYWHERE, PASSWORD, sharedTestApp } from 'test-support';

const GERMAN = 'Accept-Language: de-AT, en;q=0.5';

/** Thrown by all requests, as by those that wait for the same look-up. */
const SHARED = new AuthException(AuthErrorCode.FORBIDDEN, { message: 'Not here' });

@Controller('v1/things')
class ThingsController {
  @Get('edited')
  @RequireRoles('editor')
  edited() {}

  @Get('shared')
  @Public()
  shared() {
    throw SHARED;
  }

  @Get('own')
  @Public()
  own() {
    throw new AuthException(40350, { error: 'TERMS' as never, message: 'Accept the terms' });
  }

  @Get('with-text')
  @Public()
  withText() {
    throw new AuthException(AuthErrorCode.FORBIDDEN, { details: { text: 'Ours' } });
  }
}

const textOf = ({ json, headers }: Answer) => [json.text, json.language, headers['content-language']];

describe.each(EVERYWHERE)('errors on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    trustProxy: true,
    controllers: [ThingsController],
    imports: [KitAuthLanguagesModule],
    configure: (nest: INestApplication) => nest.enableCors({ origin: ['https://app.example.com'] }),
  });
  let token: string;
  beforeAll(async () => {
    await app.user({ username: 'ada' });
    token = await app.tokenOf('ada');
  });
  const get = (path: string, ...headers: string[]) => app.request(path, { headers });

  it('have a sentence in the language of the request, beside the message in English', async () => {
    const { status, json, headers } = await get('/v1/api/auth/me', GERMAN);
    expect(status).toBe(401);
    expect(json).toEqual({
      ...{ statusCode: 401, code: 40100, error: 'TOKEN_MISSING', message: 'No token was sent, log in first' },
      ...{ text: de['40100'], language: 'de' },
    });
    expect(headers).toMatchObject({ 'content-language': 'de', 'cache-control': 'no-store' });
  });

  it('have it for refusals of every kind', async () => {
    const login = (body: string) =>
      app.request('/v1/api/auth/login', {
        method: 'POST',
        headers: [GERMAN, 'Content-Type: application/json'],
        body,
      });
    for (const [answer, key] of [
      [await app.request('/v1/things/edited', { token, headers: [GERMAN] }), '40300'],
      [await app.request('/v1/things/edited', { token: 'x', headers: [GERMAN] }), '40101'],
      [await login('{"username'), '40000'],
      [await login('{"username":"ada","password":"wrong"}'), '40110'],
      [await get('/v1/things/shared', GERMAN), '40300'],
    ] as const) {
      expect([key, ...textOf(answer)]).toEqual([key, de[key], 'de', 'de']);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('have the values of their reason', async () => {
    const { json } = await app.request('/v1/api/auth/password', {
      ...{ method: 'POST', token, headers: [GERMAN] },
      json: { currentPassword: PASSWORD, newPassword: 'short' },
    });
    expect(json).toMatchObject({
      reason: 'password-too-short',
      text: 'Dieses Passwort ist zu kurz. Wählen Sie eines mit mindestens 8 Zeichen.',
    });
  });

  it('tell caches that they depend on the language, and on what the application says', async () => {
    expect((await get('/v1/api/auth/me')).headers['vary']).toBe('Origin, Accept-Language');
    expect((await app.request('/v1/api/auth/me', { token })).headers['vary']).toBe('Origin');
  });

  it('say how long to wait', async () => {
    const attempt = () => app.login('nobody', 'x', GERMAN, 'X-Forwarded-For: 192.0.2.7');
    let answer = await attempt();
    for (let i = 0; i < 20 && answer.status === 401; i++) {
      answer = await attempt();
    }
    const seconds = Number(answer.headers['retry-after']);
    const duration = `${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'}`;
    expect(answer.json.text).toBe(`Zu viele Versuche. Versuchen Sie es in ${duration} noch einmal.`);
  });

  it('of the application have it too, each in its own language, also if requests share the exception', async () => {
    const before = JSON.stringify(SHARED.getResponse());
    const [german, english] = [
      await get('/v1/things/shared', GERMAN),
      await get('/v1/things/shared', 'Accept-Language: en'),
    ];
    expect([german.json, english.json]).toEqual([
      { ...JSON.parse(before), text: de['40300'], language: 'de' },
      { ...JSON.parse(before), text: en['40300'], language: 'en' },
    ]);
    expect(JSON.stringify(SHARED.getResponse())).toBe(before);
  });

  it('have none for codes without a sentence, and keep a text of their own', async () => {
    const own = { statusCode: 403, code: 40350, error: 'TERMS', message: 'Accept the terms' };
    expect((await get('/v1/things/own', GERMAN)).json).toEqual(own);
    const { json, headers } = await get('/v1/things/with-text', GERMAN);
    expect([json.text, json.language, headers['content-language']]).toEqual(['Ours', undefined, undefined]);
  });
});

describe('an application without the package', () => {
  const app = sharedTestApp({ controllers: [ThingsController] });

  it('does not look at the header, and its answers have no more members and headers than before', async () => {
    const path = '/v1/things/shared';
    const [plain, german] = [await app.request(path), await app.request(path, { headers: [GERMAN] })];
    const lines = ({ lines: all }: Answer) => all.filter((line) => !/^date/i.test(line));
    expect([german.text, lines(german)]).toEqual([plain.text, lines(plain)]);
    expect(plain.headers['vary'] ?? plain.headers['content-language']).toBeUndefined();
    expect(Object.keys(plain.json)).toEqual(['statusCode', 'code', 'error', 'message']);
  });
});
