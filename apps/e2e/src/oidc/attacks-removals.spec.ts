import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { type SignUp, type SignUpPolicy, UserIdentities } from 'kit-auth-oidc';
import { sharedTestApp } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { API, OidcApp, TestBrowser } from './app.js';

@Injectable()
class Invited implements SignUpPolicy {
  isOpen = true;

  decide(): SignUp | undefined {
    return this.isOpen ? {} : undefined;
  }
}

describe('the rest of the attacks on logins with providers', () => {
  const provider = sharedHostileProvider();
  let onLogin: (userId: unknown) => Promise<unknown> = () => Promise.resolve();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      providers: [Invited],
      nest: { bodyParser: false },
      configure: (nest) => void (nest as NestExpressApplication).useBodyParser('json'),
      oidc: {
        signUp: Invited,
        onLogin: async (_, __, { userId }) => {
          await onLogin(userId);
        },
        providers: [provider.settings('test', { fresh: false })],
      },
    }),
  );
  let number = 0;
  let sub: string;
  beforeEach(async () => {
    provider.reset();
    onLogin = () => Promise.resolve();
    sub = `sub-${++number}`;
    const { id } = await app.user();
    await app.get(UserIdentities).link(id, { provider: 'test', subject: sub });
  });

  const logIn = (browser: TestBrowser, claims: object = {}) => provider.logIn(browser, { sub, ...claims });

  it('auth_time of a provider that does not ask its user makes no fresh login', async () => {
    const browser = new TestBrowser(app);
    await logIn(browser, { auth_time: Math.floor(Date.now() / 1000) });
    const { json } = await browser.visit(`${API}/v1/proof`, { headers: ['Sec-Fetch-Site: same-origin'] });
    expect(json).toEqual({ oidc: 0 });
  });

  it('an identity that is removed during its login logs nobody in', async () => {
    onLogin = (userId) => app.get(UserIdentities).removeAllOf(userId as number);
    expect((await logIn(new TestBrowser(app)))['kit-auth']).toBe('40114');
  });
});
