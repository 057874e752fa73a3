import { beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import { BOTH, loginUser, PASSWORD, sharedTestApp, totpCode } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { APP_URL, fragmentOf, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';

const FACTORS = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });
const now = () => Math.floor(Date.now() / 1000);

describe.each(BOTH)('still more attacks on logins with providers, on %s', (platform) => {
  const provider = sharedHostileProvider();
  let onLogin: (userId: unknown) => Promise<unknown> = () => Promise.resolve();
  const app = sharedTestApp(
    new OidcApp({
      platform,
      provider: 'session',
      imports: [KitAuthBrowserModule, FACTORS, KitAuthKeysModule],
      oidc: {
        returnTo: [PAGE, APP_URL],
        providers: [provider.settings(), provider.settings('other', { clientId: 'other-client' })],
        onLogin: async (_, __, { userId }) => {
          await onLogin(userId);
        },
      },
    }),
  );
  let number = 0;
  let sub: string;
  let user: AuthUser;
  beforeEach(async () => {
    provider.reset();
    onLogin = () => Promise.resolve();
    sub = `sub-${++number}`;
    user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
  });

  const logIn = (browser: TestBrowser, claims: object = {}, name = 'test') =>
    provider.logIn(browser, { sub, ...claims }, name);

  const codeFor = (claims: object = {}) => provider.codeFor(new TestBrowser(app), { sub, ...claims });

  async function withPassword(who = user): Promise<TestBrowser> {
    const browser = new TestBrowser(app);
    const { status } = await browser.post('login', { username: who.username, password: PASSWORD });
    expect(status).toBe(200);
    return browser;
  }

  it('an identity that somebody else gets during its login logs nobody in to the former account', async () => {
    const other = await app.user();
    onLogin = async (userId) => {
      await app.get(UserIdentities).removeAllOf(userId as number);
      await app.get(UserIdentities).link(other.id, { provider: 'test', subject: sub });
    };
    expect((await logIn(new TestBrowser(app)))['kit-auth']).toBe('40114');
  });

  it.each(['exchange', 'complete'])('pages of other origins cannot call oidc/%s', async (path) => {
    const { code, verifier } = await codeFor();
    const answer = await app.request(`/v1/api/auth/oidc/${path}`, {
      method: 'POST',
      json: { code, verifier, token: code },
      headers: ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'],
    });
    expect([answer.status, answer.json.code, answer.cookies]).toEqual([403, 40302, []]);
    const again = await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier });
    expect(again.status).toBe(200);
  });

  it('no form can exchange a code', async () => {
    const { code, verifier } = await codeFor();
    const answer = await app.request('/v1/api/auth/oidc/exchange', {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: new URLSearchParams({ code, verifier }).toString(),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it.each<[string, object]>([
    ['members of objects', JSON.parse('{"__proto__":{"sub":"x"},"constructor":"x","hasOwnProperty":1}')],
    ['an address in a list', { email: ['ada@example.com'], email_verified: [true] }],
    ['an address that is an object', { email: { toString: 'x' }, name: { a: 1 } }],
    ['methods in lists of lists', { amr: [['mfa'], { a: 1 }, null], acr: { a: 1 } }],
    ['a session that is a number', { sid: 4711 }],
    ['a session that no table keeps', { sid: '\u0000' }],
  ])('%s in an ID token do no harm', async (_, claims) => {
    expect(await logIn(new TestBrowser(app), claims)).toEqual({ 'kit-auth': 'ok' });
    const stranger = await logIn(new TestBrowser(app), { ...claims, sub: `${sub}-x`, email: ['a@b.c'] });
    expect(stranger).toMatchObject({ 'kit-auth': '40114', reason: 'unverified' });
  });

  it('whoever acts as a user links nothing, and confirms nothing', async () => {
    const issued = await app
      .get<AuthProvider>(AUTH_PROVIDER)
      .issueToken(loginUser({ userId: user.id, username: user.username }), {
        factors: { password: now() },
        actor: { userId: 1, username: 'admin' },
      });
    for (const what of ['link', 'fresh']) {
      expect((await app.call(issued, 'POST', `oidc/test/${what}`, {})).json.code).toBe(40300);
    }
  });

  /** An API key of a super administrator, who has an identity. */
  async function newKey(owner: AuthUser): Promise<string> {
    const token = await app.tokenOf(owner);
    const { status, json } = await app.call(token, 'POST', 'keys', { name: 'S', abilities: ['note:read'] });
    expect(status).toBe(201);
    return json.key;
  }

  it('API keys link, confirm, remove and end nothing', async () => {
    const owner = await app.administrator();
    await app.get(UserIdentities).link(owner.id, { provider: 'test', subject: `${sub}-owner` });
    const key = await newKey(owner);
    const [identity] = await app.get(UserIdentities).listOf(owner.id);
    const calls: [string, string][] = [
      ['POST', 'oidc/test/link'],
      ['POST', 'oidc/test/fresh'],
      ['POST', 'oidc/logout'],
      ['GET', 'identities'],
      ['DELETE', `identities/${identity?.id}`],
      ['GET', `users/${owner.id}/identities`],
      ['DELETE', `users/${owner.id}/identities`],
    ];
    for (const [method, path] of calls) {
      const answer = await app.call(key, method, path, method === 'POST' ? {} : undefined);
      expect([path, answer.status, answer.json.code]).toEqual([path, 403, 40304]);
    }
    expect(app.heard('logout').filter(({ subjectId }) => subjectId === owner.id)).toEqual([]);
  });

  it('an API key completes no link that a login has begun', async () => {
    const owner = await app.administrator();
    const token = await app.tokenOf(owner);
    const key = await newKey(owner);
    const { verifier, challenge } = newVerifier();
    const { json } = await app.call(token, 'POST', 'oidc/test/link', { returnTo: APP_URL, challenge });
    provider.tampering = { claims: { sub: `${sub}-new` } };
    const end = await new TestBrowser(app).comeBack(provider.callbackOf(json.url));
    const code = fragmentOf(end).get('code');
    const answer = await app.call(key, 'POST', 'oidc/exchange', { code, verifier });
    expect([answer.status, answer.json.reason]).toEqual([401, 'state']);
    expect(await app.rowsOf(AuthIdentity).countBy({ subject: `${sub}-new` })).toBe(0);
  });

  it.each<[string, object]>([
    ['a minute ago', { auth_time: now() - 120 }],
    ['at a time that it does not tell', {}],
    ['at a fraction of a second', { auth_time: now() + 0.5 }],
  ])('a provider that has asked its user %s confirms no login', async (_, claims) => {
    const browser = await withPassword();
    const { json } = await browser.post('oidc/test/fresh', {});
    const callback = provider.callbackOf(json.url);
    provider.tampering = { claims: { sub, ...claims } };
    expect(Object.fromEntries(fragmentOf(await browser.comeBack(callback)))).toMatchObject({
      'kit-auth': '40120',
    });
  });

  it('a user who must change the password can log out at the provider', async () => {
    const other = await app.user({ mustChangePassword: true });
    const browser = await withPassword(other);
    expect((await browser.post('oidc/logout', {})).status).toBe(200);
  });

  it('long names at the provider are a failure of the provider, or none', async () => {
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const code = totpCode(json.secret, Date.now() - 30_000);
    expect((await app.call(token, 'POST', `factors/totp/${json.id}/confirm`, { code })).status).toBe(200);
    const long = '"'.repeat(255);
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: long });
    const answer = await logIn(new TestBrowser(app), { sub: long, sid: long });
    expect(answer['kit-auth']).toBe('40112');
    await app.get(UserIdentities).removeAllOf(user.id);
  });
});
