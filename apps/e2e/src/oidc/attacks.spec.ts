import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { UserIdentities } from 'kit-auth-oidc';
import { type AuthUser } from 'kit-auth/typeorm';
import { sharedTestApp, totpCode } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { API, APP_URL, OidcApp, PAGE, TestBrowser } from './app.js';

const FACTORS = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });

describe('attacks on logins with providers', () => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [KitAuthBrowserModule, FACTORS],
      oidc: {
        secondFactor: 'trust',
        returnTo: [PAGE, APP_URL],
        providers: [provider.settings('test', { mfa: ['mfa'] })],
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

  const logIn = (browser: TestBrowser, claims: object = {}, name = 'test') =>
    provider.logIn(browser, { sub, ...claims }, name);

  const codeFor = () => provider.codeFor(new TestBrowser(app), { sub });

  async function withDevice(): Promise<string> {
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const code = totpCode(json.secret, Date.now() - 30_000);
    expect((await app.call(token, 'POST', `factors/totp/${json.id}/confirm`, { code })).status).toBe(200);
    return json.secret;
  }

  const removeIdentities = async () =>
    (await app.call(await app.adminToken(), 'DELETE', `users/${user.id}/identities`)).status;

  it('whoever comes back cannot forge lines of the log', async () => {
    const browser = new TestBrowser(app);
    const error = 'x\n[Nest] 1  - LOG [KitAuth] [auth] login of root\u001b[2J';
    await browser.comeBack(provider.refusalOf(await browser.start('test'), error));
    expect(app.logs.all()).toContain('a login with test failed');
    expect(app.logs.all()).not.toMatch(/\n\[Nest\] 1 {2}- LOG \[KitAuth\] \[auth\] login of root/);
    expect(app.logs.all()).not.toContain('\u001b');
  });

  it('a code ends when its identity is removed', async () => {
    const { code, verifier } = await codeFor();
    expect(await removeIdentities()).toBe(204);
    const { status } = await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier });
    expect(status).toBe(401);
  });

  it('a login that waits for its second factor ends when its identity is removed', async () => {
    const secret = await withDevice();
    const { challenge } = await logIn(new TestBrowser(app));
    expect(await removeIdentities()).toBe(204);
    const body = { challenge, factor: 'totp', code: totpCode(secret) };
    expect((await app.call(undefined, 'POST', 'login/factor', body)).status).toBe(401);
  });

  it('a code ends when its user ends all sessions', async () => {
    const token = await app.tokenOf(user);
    const { code, verifier } = await codeFor();
    expect((await app.call(token, 'DELETE', 'sessions')).status).toBeLessThan(300);
    const { status } = await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier });
    expect(status).toBe(401);
  });

  it('the user info says nothing about second factors', async () => {
    await withDevice();
    provider.userInfo = { sub, amr: ['mfa'], email: 'x@example.com' };
    expect((await logIn(new TestBrowser(app), { email: undefined }))['kit-auth']).toBe('40112');
  });

  it('the user info does not say when the user was asked', async () => {
    provider.userInfo = { sub, auth_time: Math.floor(Date.now() / 1000), email: 'x@example.com' };
    const browser = new TestBrowser(app);
    expect((await logIn(browser, { email: undefined }))['kit-auth']).toBe('ok');
    const proof = await browser.visit(`${API}/v1/proof`, { headers: ['Sec-Fetch-Site: same-origin'] });
    expect(proof.json).toEqual({ oidc: 0 });
  });

  it('others cannot keep a provider from ending logins', async () => {
    const browser = new TestBrowser(app);
    await logIn(browser, { sid: `sid-${sub}` });
    await Promise.all(Array.from({ length: 30 }, () => app.sendLogout('x', 'test', '203.0.113.9')));
    const token = await provider.logoutToken({ sid: `sid-${sub}` });
    expect((await app.sendLogout(token, 'test', '198.51.100.7')).status).toBe(200);
  });

  it('a long page is refused as such', async () => {
    const returnTo = `${PAGE}?${'\\'.repeat(900)}`;
    const query = new URLSearchParams({ returnTo }).toString();
    const { status } = await app.request(`/v1/api/auth/oidc/test/start?${query}`);
    expect(status).toBe(400);
  });

  it('a page is below another one however servers decode its path', async () => {
    const query = new URLSearchParams({ returnTo: `${PAGE}/..%2f..%2fother` }).toString();
    const { status } = await app.request(`/v1/api/auth/oidc/test/start?${query}`);
    expect(status).toBe(400);
  });

  it('an image of another site begins no login', async () => {
    const { status } = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start`, {
      headers: ['Sec-Fetch-Dest: image', 'Sec-Fetch-Mode: no-cors'],
    });
    expect(status).not.toBe(302);
  });
});
