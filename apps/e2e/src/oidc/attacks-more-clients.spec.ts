import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthEmailModule, UserAddresses } from 'kit-auth-email';
import { UserIdentities } from 'kit-auth-oidc';
import { sharedTestApp } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { API, APP_URL, fragmentOf, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';
import { Statements } from '../database/statements.js';

const LINKS = { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#{token}' };

describe('two clients at one provider', () => {
  const provider = sharedHostileProvider();
  const statements = new Statements();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      database: statements.on(),
      imports: [
        KitAuthBrowserModule,
        KitAuthEmailModule.forRoot({ links: LINKS, mailer: { send: () => Promise.resolve() } }),
      ],
      oidc: {
        returnTo: [PAGE, APP_URL],
        signUp: 'open',
        providers: [provider.settings('web'), provider.settings('shop', { clientId: 'shop-client' })],
      },
    }),
  );
  beforeAll(() => {
    provider.metadata = { end_session_endpoint: `${provider.issuer}/end` };
  });
  let number = 0;
  let sub: string;
  beforeEach(() => {
    sub = `sub-${++number}`;
  });

  async function comeBack(
    browser: TestBrowser,
    url: string,
    claims: object,
  ): Promise<Record<string, string>> {
    const callback = provider.callbackOf(url);
    provider.tampering = { claims: { sub, ...claims } };
    return Object.fromEntries(fragmentOf(await browser.comeBack(callback)));
  }

  it('log out as the client of the login', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'shop', subject: sub });
    const browser = new TestBrowser(app);
    const answer = await comeBack(browser, await browser.start('shop'), { aud: 'shop-client' });
    expect(answer).toEqual({ 'kit-auth': 'ok' });
    const { json } = await browser.post('oidc/logout', {});
    expect(new URL(json.url).searchParams.get('client_id')).toBe('shop-client');
  });

  it('take no code of each other', async () => {
    const browser = new TestBrowser(app);
    const answer = await comeBack(browser, await browser.start('web'), { aud: 'shop-client' });
    expect(answer).toMatchObject({ reason: 'provider' });
    const state = new URL(await browser.start('web')).searchParams.get('state');
    const target = `${API}/v1/api/auth/oidc/shop/callback?code=a&state=${state}&iss=${provider.issuer}`;
    expect((await browser.visit(target)).json).toMatchObject({ code: 40114, reason: 'state' });
  });

  it('an unverified address is looked up nowhere', async () => {
    const address = `${sub}@example.com`;
    const user = await app.user({ username: address });
    await app.get(UserAddresses).assign(user.id, address, { verified: true });
    const statementsFor = async (email: string) => {
      const browser = new TestBrowser(app);
      const url = await browser.start('web');
      const seen = await statements.of(async () => {
        expect(await comeBack(browser, url, { email, email_verified: 'true' })).toMatchObject({
          reason: 'unverified',
        });
      });
      return seen.map((text) => text.replace(/\d{13}/g, '?'));
    };
    expect(await statementsFor(address)).toEqual(await statementsFor('nobody@example.com'));
  });

  it.each<[string, (address: string) => string]>([
    ['in capitals', (address) => address.toUpperCase()],
    ['as it is', (address) => address],
  ])('the address of an account, %s, makes no second one', async (_, spelled) => {
    const address = `${sub}@example.com`;
    const user = await app.user();
    await app.get(UserAddresses).assign(user.id, address, { verified: true });
    const browser = new TestBrowser(app);
    const answer = await comeBack(browser, await browser.start('web'), { email: spelled(address) });
    expect(answer).toMatchObject({ 'kit-auth': '40900', reason: 'link' });
  });

  it('a code that waits ends when the provider logs its user out', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'web', subject: sub });
    const { verifier, challenge } = newVerifier();
    const browser = new TestBrowser(app);
    const url = await browser.start('web', { returnTo: APP_URL, challenge });
    const { code } = await comeBack(browser, url, { sid: sub });
    const { status } = await app.sendLogout(await provider.logoutToken({ sid: sub, sub }), 'web');
    expect(status).toBe(200);
    expect((await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier })).status).toBe(401);
  });
});
