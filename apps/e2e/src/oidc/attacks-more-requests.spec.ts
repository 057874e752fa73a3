import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthEmailModule } from 'kit-auth-email';
import { google, KitAuthOidcModule } from 'kit-auth-oidc';
import type { AuthUser } from 'kit-auth/typeorm';
import { BOTH, sharedTestApp, testApp } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { LOGIN_LINKS } from '../email/login-links-app.js';
import { API, APP_URL, OidcApp, PAGE, TestBrowser } from './app.js';

describe.each(BOTH)('requests that no page sends, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform,
      provider: 'session',
      imports: [KitAuthBrowserModule],
      oidc: {
        returnTo: [PAGE, APP_URL],
        providers: [provider.settings()],
      },
    }),
  );
  let user: AuthUser;
  beforeAll(async () => {
    user = await app.user();
  });
  beforeEach(() => provider.reset());

  it.each([
    ['GET', 'oidc/__proto__/start'],
    ['GET', 'oidc/constructor/start'],
    ['GET', 'oidc/__proto__/callback?state=x'],
    ['GET', 'oidc/test/callback?state=a&state=b'],
    ['GET', 'oidc/test/callback?state[a]=b'],
    ['GET', 'oidc/test/callback?__proto__[state]=b'],
    ['GET', 'oidc/test/start?returnTo=a&returnTo=b'],
    ['GET', 'oidc/test/start?remember=true&remember=true'],
    ['GET', 'oidc/test/start?returnTo=com.example.app:/login&challenge=a&challenge=b'],
    ['GET', 'oidc/test/start?prompt=none&prompt=none'],
    ['GET', 'oidc/%00/start'],
    ['GET', `oidc/${'x'.repeat(99)}/start`],
    ['POST', 'oidc/__proto__/backchannel-logout'],
    ['POST', 'oidc/constructor/backchannel-logout'],
  ])('are refused as such: %s %s', async (method, path) => {
    const { status } = await app.request(`/v1/api/auth/${path}`, {
      method,
      ...(method === 'POST' && {
        headers: ['Content-Type: application/x-www-form-urlencoded'],
        body: 'logout_token=x',
      }),
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it.each([
    ['link', '[]'],
    ['link', 'null'],
    ['link', '{"returnTo":{"toString":1}}'],
    ['link', '{"returnTo":["https://api.example.com/app"]}'],
    ['link', '{"__proto__":{"returnTo":"https://evil.example"},"returnTo":1}'],
    ['fresh', '{"returnTo":null}'],
    ['fresh', '{"challenge":{},"returnTo":"com.example.app:/login"}'],
  ])('POST %s refuses the body %s', async (what, body) => {
    const token = await app.tokenOf(user);
    const { status } = await app.request(`/v1/api/auth/oidc/test/${what}`, {
      method: 'POST',
      token,
      headers: ['Content-Type: application/json'],
      body,
    });
    expect(status).toBe(400);
  });

  it.each([
    '{"token":{}}',
    '{"token":["x"]}',
    '{"code":"x","verifier":{"length":1}}',
    '{"__proto__":{"code":"a","verifier":"b","token":"c"}}',
    `{"code":"${'x'.repeat(5000)}","verifier":"y","token":"${'x'.repeat(5000)}"}`,
  ])('the open endpoints refuse the body %.60s', async (body) => {
    for (const path of ['exchange', 'complete']) {
      const { status } = await app.request(`/v1/api/auth/oidc/${path}`, {
        method: 'POST',
        headers: ['Content-Type: application/json'],
        body,
      });
      expect([400, 401]).toContain(status);
    }
  });

  it.each(['ada@example.com', 'kato_4711', 'the code is 4711'])(
    'an error that is no code of OAuth is not logged: %s',
    async (error) => {
      const browser = new TestBrowser(app);
      await browser.comeBack(provider.refusalOf(await browser.start('test'), error));
      expect(app.logs.all()).not.toContain(error);
    },
  );

  it('an error of OAuth is logged', async () => {
    const browser = new TestBrowser(app);
    await browser.comeBack(provider.refusalOf(await browser.start('test'), 'login_required'));
    expect(app.logs.all()).toContain('login_required');
  });

  it('a page before its user wants it begins no login', async () => {
    for (const header of ['Purpose: prefetch', 'Sec-Purpose: prefetch;prerender', 'X-Moz: prefetch']) {
      const answer = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start`, {
        headers: [header],
      });
      expect([header, answer.status === 302]).toEqual([header, header.startsWith('X-')]);
    }
    const head = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start`, { method: 'HEAD' });
    expect([head.status, head.cookies]).toEqual([401, []]);
  });
});

it('nothing answers while kit.auth.enabled is false', async () => {
  const app = await testApp({
    provider: false,
    options: { enabled: false },
    imports: [
      KitAuthOidcModule.forRoot({
        providers: [google({ clientId: 'app', clientSecret: 'secret' })],
        redirectBase: API,
        returnTo: [PAGE],
      }),
      KitAuthEmailModule.forRoot({
        links: LOGIN_LINKS,
        loginLinks: true,
        mailer: { send: () => Promise.resolve() },
      }),
    ],
  });
  for (const [method, path] of [
    ['GET', 'oidc/google/callback?state=x'],
    ['POST', 'oidc/google/link'],
    ['POST', 'oidc/google/fresh'],
    ['POST', 'oidc/google/backchannel-logout'],
    ['POST', 'oidc/exchange'],
    ['POST', 'oidc/complete'],
    ['POST', 'oidc/logout'],
    ['GET', 'identities'],
    ['DELETE', 'identities/x'],
    ['GET', 'users/1/identities'],
    ['DELETE', 'users/1/identities'],
    ['DELETE', 'users/1/identities/x'],
    ['POST', 'login/link'],
    ['POST', 'login/link/complete'],
  ] as const) {
    const { status } = await app.call(undefined, method, path, method === 'POST' ? {} : undefined);
    expect([path, status]).toEqual([path, 404]);
  }
});
