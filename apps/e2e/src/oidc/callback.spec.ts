import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplication, VersioningType } from '@nestjs/common';
import type { LoginUser } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { ExternalIdentity, ProviderTokens } from 'kit-auth-oidc';
import type { AuthUser } from 'kit-auth/typeorm';
import { PASSWORD, sharedTestApp } from 'test-support';
import { API, endOf, FAKE, OidcApp, PAGE, TEST, TestBrowser } from './app.js';

let number = 0;
let sub: string;
beforeEach(() => {
  sub = `sub-${++number}`;
});

describe('a login with a provider', () => {
  const told: [ExternalIdentity, ProviderTokens, LoginUser][] = [];
  const app = sharedTestApp(
    new OidcApp({
      platform: 'fastify',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      oidc: {
        providers: [TEST, { ...TEST, name: 'twin' }],
        onLogin: (...all) => {
          told.push(all);
          throw new Error('the API of the provider is down');
        },
      },
    }),
  );
  let user: AuthUser;
  beforeAll(async () => {
    user = await app.user();
  });

  it('tells the application of the tokens, whatever it does with them', async () => {
    const { id } = await app.linked(sub);
    told.splice(0);
    expect(await new TestBrowser(app).logInAs({ sub })).toEqual({ 'kit-auth': 'ok' });
    expect(told).toEqual([
      [
        expect.objectContaining({ provider: 'test', subject: sub }),
        { accessToken: expect.any(String) },
        expect.objectContaining({ userId: id }),
      ],
    ]);
    expect(app.logs.all()).toContain('[oidc] onLogin failed: Error: the API of the provider is down');
  });

  it('belongs to its provider: another one cannot pass off its code', async () => {
    await app.linked(sub);
    const browser = new TestBrowser(app);
    const callback = API + FAKE.logIn(await browser.start('test'), { sub });
    const refused = await browser.visit(callback.replace('/test/', '/twin/'));
    expect(refused.json).toMatchObject({ code: 40114, reason: 'state' });
    expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
  });

  it.each<[string, { method?: string; headers?: string[] }]>([
    ['HEAD', { method: 'HEAD' }],
    ['a frame', { headers: ['Sec-Fetch-Dest: iframe', 'Sec-Fetch-Mode: navigate'] }],
  ])('is neither begun nor used up by %s', async (_, parts) => {
    await app.linked(sub);
    const started = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start`, parts);
    expect([started.status, started.cookies]).toEqual([401, []]);
    const browser = new TestBrowser(app);
    const callback = API + FAKE.logIn(await browser.start('test'), { sub });
    expect((await browser.visit(callback, parts)).status).toBe(401);
    expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
  });

  it('leads back to the page where the user has refused it', async () => {
    const browser = new TestBrowser(app);
    const end = await browser.comeBack(API + FAKE.refuse(await browser.start('test')));
    expect(end.hash).toBe('#kit-auth=40114&reason=denied&provider=test');
  });

  it('shows its error to people', async () => {
    const answer = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/callback?state=%3Cb%3E`, {
      headers: ['Accept: text/html'],
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('The login with this provider failed, try again (40114)');
  });

  it.each<[string, string]>([
    ['test/link', '[]'],
    ['test/link', '{"returnTo":["https://api.example.com/app"]}'],
    ['test/fresh', '{"challenge":{},"returnTo":"com.example.app:/login"}'],
    ['exchange', '{"code":"x","verifier":{"length":1}}'],
    ['complete', '{"token":["x"]}'],
    ['complete', '{"__proto__":{"token":"c"}}'],
  ])('is not POST oidc/%s with %.60s', async (path, body) => {
    const { status } = await app.request(`/v1/api/auth/oidc/${path}`, {
      method: 'POST',
      token: path.startsWith('test') ? await app.tokenOf(user) : undefined,
      headers: ['Content-Type: application/json'],
      body,
    });
    expect(status).toBe(400);
  });

  it.each(['exchange', 'complete'])('of pages of other origins cannot call oidc/%s', async (path) => {
    await app.linked(sub);
    const { code, verifier } = await new TestBrowser(app).codeFor({ sub });
    const answer = await app.request(`/v1/api/auth/oidc/${path}`, {
      method: 'POST',
      json: { code, verifier, token: code },
      headers: ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'],
    });
    expect([answer.status, answer.json.code, answer.cookies]).toEqual([403, 40302, []]);
    expect((await app.exchange(undefined, { code, verifier })).status).toBe(200);
  });

  it('is limited by network', async () => {
    const start = () => app.request('/v1/api/auth/oidc/test/start');
    const answers = await Promise.all(Array.from({ length: 61 }, start));
    expect(answers.filter(({ status }) => status === 302).length).toBeLessThanOrEqual(60);
    const { status, json, headers } = await start();
    expect([status, json.code, Number(headers['retry-after']) > 0]).toEqual([429, 42900, true]);
  });
});

describe('a login with a provider below a prefix, with versions', () => {
  const app = sharedTestApp(
    new OidcApp({
      platform: 'fastify',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      configure: (nest: INestApplication) => {
        nest.setGlobalPrefix('shop');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
      oidc: { redirectBase: `${API}/shop` },
    }),
  );

  it('works, and answers 404 without the prefix', async () => {
    await app.linked(sub);
    const browser = new TestBrowser(app);
    const start = await browser.visit(`${API}/shop/v1/api/auth/oidc/test/start`);
    expect(start.status).toBe(302);
    const callback = API + FAKE.logIn(start.headers['location'] as string, { sub });
    expect((await browser.visit(callback.replace('/shop/', '/'))).status).toBe(404);
    expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
  });
});

describe('cookies with SameSite=Strict', () => {
  const app = sharedTestApp(new OidcApp({ imports: [KitAuthBrowserModule.forRoot({ sameSite: 'strict' })] }));

  it('are sent by the first page, because another page of the API leads to it', async () => {
    await app.linked(sub);
    const browser = new TestBrowser(app);
    const answer = await browser.visit(API + FAKE.logIn(await browser.start('test'), { sub }));
    expect([answer.status, endOf(answer).href]).toEqual([200, `${PAGE}#kit-auth=ok`]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'referrer-policy': 'no-referrer',
    });
    expect(answer.text).not.toContain('<script');
  });

  it('show who asks for a link once the callback was loaded from the API itself', async () => {
    const user = await app.user();
    const browser = new TestBrowser(app);
    await browser.post('login', { username: user.username, password: PASSWORD });
    const { json } = await browser.post('oidc/test/link', {});
    const path = FAKE.logIn(json.url, { sub });
    const first = await browser.visit(API + path);
    expect([first.status, endOf(first).href]).toEqual([200, API + path]);
    const second = await app.request(path, {
      headers: ['Sec-Fetch-Site: same-origin', `Cookie: ${browser.cookiesFor(API)}`],
    });
    expect(endOf(second).hash).toBe('#kit-auth=ok');
  });
});
