import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { UserIdentities } from 'kit-auth-oidc';
import type { AuthUser } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { OidcApp, TestBrowser } from './app.js';

describe('more attacks on logins with providers', () => {
  const provider = sharedHostileProvider();
  const told: string[] = [];
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [
        KitAuthBrowserModule,
        KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example', requiredFor: ['staff'] }),
      ],
      oidc: {
        secondFactor: 'trust',
        timeoutMs: 300,
        onLogin: ({ subject }) => void told.push(subject),
        providers: [
          provider.settings('test', { mfa: ['mfa'] }),
          provider.settings('strict', { prompt: 'login' }),
          provider.settings('plain', {
            oauth2: {
              get authorization() {
                return `${provider.issuer}/authorize`;
              },
              get token() {
                return `${provider.issuer}/token`;
              },
              profile: () => new Promise(() => undefined),
            },
          }),
        ],
      },
    }),
  );
  let number = 0;
  let sub: string;
  let user: AuthUser;
  beforeEach(async () => {
    provider.reset();
    sub = `sub-${++number}`;
    user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
  });

  const logIn = (browser: TestBrowser, claims: object = {}) => provider.logIn(browser, { sub, ...claims });

  it('an address of the user info is verified only if the user info says so', async () => {
    provider.userInfo = { sub: 'stranger', email: 'victim@example.com', email_verified: false };
    const answer = await logIn(new TestBrowser(app), { sub: 'stranger', email: undefined });
    expect(answer).toMatchObject({ reason: 'unverified' });
  });

  it('that hangs is answered in time', async () => {
    const browser = new TestBrowser(app);
    const url = await browser.start('plain');
    provider.handlers['/token'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'x', token_type: 'bearer' }));
    };
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 2000));
    const answered = browser.comeBack(provider.callbackOf(url)).then(({ hash }) => hash);
    expect(await Promise.race([answered, late])).toContain('50300');
  });

  it('planted by a subdomain clear no attempt', async () => {
    const planted = Array.from({ length: 6 }, (_, i) => `\u00a0__Host-kit-auth-oidc-planted${i}=x`).join(';');
    const { cookies } = await app.request('/v1/api/auth/oidc/test/start', {
      headers: [`Cookie: __Host-kit-auth-oidc-realreal=x;${planted}`],
    });
    expect(cookies.filter((line) => line.includes('realreal'))).toEqual([]);
  });
});
