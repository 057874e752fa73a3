import { beforeEach, describe, expect, it } from '@jest/globals';
import { VersioningType } from '@nestjs/common';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { UserIdentities } from 'kit-auth-oidc';
import { BOTH, sharedTestApp } from 'test-support';
import { CLIENT_ID, sharedHostileProvider } from './hostile-provider.js';
import { API, APP_URL, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';

describe.each(BOTH)('with a prefix and versions, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform,
      provider: 'session',
      imports: [KitAuthBrowserModule],
      configure: (nest) => {
        nest.setGlobalPrefix('shop');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
      oidc: {
        redirectBase: `${API}/shop`,
        providers: [provider.settings()],
      },
    }),
  );

  it('logs in, and answers 404 without the prefix', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: 'ada' });
    const browser = new TestBrowser(app);
    const start = await browser.visit(`${API}/shop/v1/api/auth/oidc/test/start`);
    expect(start.status).toBe(302);
    const callback = provider.callbackOf(start.headers['location'] as string);
    expect((await browser.visit(callback.replace('/shop/', '/'))).status).toBe(404);
    expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
  });
});

describe.each(BOTH)('pages that get codes, on %s', (platform) => {
  const SPA = 'https://spa.example/login';
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform,
      provider: 'session',
      imports: [KitAuthBrowserModule.forRoot({ bodyOrigins: [new URL(SPA).origin] })],
      oidc: {
        returnTo: [PAGE, SPA, APP_URL],
        timeoutMs: 300,
        providers: [provider.settings()],
      },
    }),
  );
  beforeEach(() => provider.reset());

  const start = (returnTo: string, challenge = newVerifier().challenge) => {
    const query = new URLSearchParams({ returnTo, challenge, prompt: 'none' }).toString();
    return new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start?${query}`);
  };

  it('are themselves', async () => {
    expect((await start(SPA)).status).toBe(302);
  });

  // Whoever sends somebody there has chosen the challenge, and browsers keep the fragment along redirects.
  it.each([`${SPA}/out?to=https://evil.example`, `${SPA}?to=https://evil.example`, `${SPA}?`])(
    'have no query, as %s, which may redirect elsewhere with the code',
    async (returnTo) => {
      expect((await start(returnTo)).status).toBe(400);
    },
  );

  it.each([
    `${SPA}#x`,
    `${SPA}/../other`,
    `${SPA}/%2e%2e/other`,
    `${SPA}x`,
    'https://spa.example:444/login',
    'http://spa.example/login',
    'https://SPA.example/login',
    'https://user@spa.example/login',
    'https://spa.example\\.evil/login',
    `${SPA}\r\nSet-Cookie: a=b`,
    `${SPA}\t`,
    ` ${SPA}`,
    `${APP_URL}/x`,
    `${APP_URL}?x`,
    'COM.example.app:/login',
    'com.example.app://login',
    'data:text/html,x',
  ])('are not %j', async (returnTo) => {
    expect((await start(returnTo)).status).toBe(400);
  });

  it.each(['-', 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(43)}\n`])(
    'need a challenge, not %j',
    async (challenge) => {
      expect((await start(SPA, challenge)).status).toBe(400);
    },
  );

  it('a provider that sends its keys for ever keeps no logout waiting', async () => {
    provider.handlers['/jwks'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"keys":[');
    };
    const time = Math.floor(Date.now() / 1000);
    const token = await provider.sign({ iss: provider.issuer, aud: CLIENT_ID, iat: time, exp: time + 60 });
    const sent = app.sendLogout(token);
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 3000).unref());
    expect(await Promise.race([sent.then(({ status }) => status), late])).toBe(503);
  });
});
