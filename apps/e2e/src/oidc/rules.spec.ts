import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import type { LoginUser } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import {
  type ExternalIdentity,
  type ProviderTokens,
  type SignUp,
  type SignUpPolicy,
  UserIdentities,
} from 'kit-auth-oidc';
import { AuthIdentity, AuthIdentityLogin } from 'kit-auth-oidc/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import { BOTH, sharedTestApp, totpCode } from 'test-support';
import { type HostileProvider, sharedHostileProvider } from './hostile-provider.js';
import { API, endOf, OidcApp, PAGE, TestBrowser } from './app.js';

const FACTORS = KitAuthFactorsModule.forRoot({
  keys: ['k'.repeat(32)],
  issuer: 'Example',
  requiredFor: ['staff'],
});

let number = 0;
let sub: string;
beforeEach(() => {
  sub = `sub-${++number}`;
});

/** Logs in at the provider. */
async function answerOf(
  provider: HostileProvider,
  browser: TestBrowser,
  claims: Record<string, unknown> = {},
): Promise<Record<string, string>> {
  return provider.logIn(browser, { sub, ...claims });
}

describe.each(BOTH)('a second factor after a login with a provider, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const appWith = (secondFactor: 'ask' | 'trust') =>
    sharedTestApp(
      new OidcApp({
        platform,
        provider: 'session',
        imports: [KitAuthBrowserModule, FACTORS],
        oidc: {
          secondFactor,
          providers: [provider.settings('test', { mfa: ['mfa', 'https://acr.example/mfa'] })],
        },
      }),
    );
  const [asking, trusting] = [appWith('ask'), appWith('trust')];

  /** A user with an identity and a device. */
  async function enrolled(app: OidcApp): Promise<{ user: AuthUser; secret: string }> {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const { secret } = json;
    const code = totpCode(secret, Date.now() - 30_000);
    expect((await app.call(token, 'POST', `factors/totp/${json.id}/confirm`, { code })).status).toBe(200);
    return { user, secret };
  }

  it('completes the login, which the provider can end', async () => {
    const { user, secret } = await enrolled(asking);
    const browser = new TestBrowser(asking);
    const { challenge, ...answer } = await answerOf(provider, browser, { sid: `sid-${sub}`, amr: ['mfa'] });
    expect(answer).toEqual({
      'kit-auth': '40112',
      provider: 'test',
      factors: 'totp,recovery',
      expiresAt: expect.stringMatching(/^\d+$/),
    });
    const body = { challenge, factor: 'totp', code: totpCode(secret) };
    const { status, json } = await browser.post('login/factor', body);
    expect([status, json.user.userId]).toEqual([200, user.id]);
    expect(asking.heard('login').at(-1)).toMatchObject({ detail: 'oidc:test' });
    const row = await asking.rowsOf(AuthIdentityLogin).findOneByOrFail({ sid: `sid-${sub}` });
    expect(row).toMatchObject({ userId: String(user.id), subject: sub });
    const sessions = await browser.visit(`${API}/v1/api/auth/sessions`, {
      headers: ['Sec-Fetch-Site: same-origin'],
    });
    expect(sessions.json.map(({ id }: { id: string }) => id)).toContain(row.id);
  });

  it.each<[string, object]>([
    ['amr', { amr: ['pwd', 'mfa'] }],
    ['acr', { acr: 'https://acr.example/mfa' }],
  ])(
    'is not asked for where the provider is trusted, and says in %s that it has asked',
    async (_, claims) => {
      await enrolled(trusting);
      expect(await answerOf(provider, new TestBrowser(trusting), { ...claims })).toEqual({
        'kit-auth': 'ok',
      });
    },
  );

  describe('that a role requires', () => {
    const now = () => Math.floor(Date.now() / 1000);
    const proofOf = async (browser: TestBrowser) =>
      (await browser.visit(`${API}/v1/proof`, { headers: ['Sec-Fetch-Site: same-origin'] })).json;

    beforeAll(async () => {
      await asking.role({ code: 'staff' });
      await trusting.role({ code: 'staff' });
    });

    async function staff(app: OidcApp): Promise<void> {
      const user = await app.user({ roles: ['staff'] });
      await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    }

    it('is what a trusted provider has asked for', async () => {
      await staff(trusting);
      const [browser, time] = [new TestBrowser(trusting), now() - 5];
      await answerOf(provider, browser, { amr: ['mfa'], auth_time: time });
      expect(await proofOf(browser)).toEqual({ oidc: time, mfa: time });
    });

    it.each<[string, OidcApp, object]>([
      ['another provider has asked for', asking, { amr: ['mfa'] }],
      ['a trusted provider has not asked for', trusting, { amr: ['pwd'] }],
    ])('is not what %s', async (_, app, claims) => {
      await staff(app);
      const browser = new TestBrowser(app);
      expect(await answerOf(provider, browser, { ...claims })).toEqual({ 'kit-auth': 'ok' });
      expect(await proofOf(browser)).toMatchObject({ code: 40303 });
    });

    it.each([
      ['trusted', trusting, { mfa: expect.any(Number) }],
      ['other', asking, { code: 40303 }],
    ])('is shown at a confirmation by a %s provider', async (_, app, proof) => {
      await staff(app);
      const browser = new TestBrowser(app);
      await answerOf(provider, browser);
      expect(await proofOf(browser)).toMatchObject({ code: 40303 });
      const callback = provider.callbackOf((await browser.post('oidc/test/fresh', {})).json.url);
      provider.tampering = { claims: { sub, amr: ['mfa'], auth_time: now() } };
      expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
      expect(await proofOf(browser)).toMatchObject(proof);
    });
  });

  it.each<[string, object, string]>([
    ['counts for a fresh login', { auth_time: Math.floor(Date.now() / 1000) }, '204'],
    ['does not count for a fresh login without auth_time', {}, '40120'],
  ])('of a trusted provider %s', async (_, claims, outcome) => {
    await enrolled(trusting);
    const browser = new TestBrowser(trusting);
    await answerOf(provider, browser, { amr: ['mfa'], ...claims });
    const headers = ['Sec-Fetch-Site: same-origin', `Cookie: ${browser.cookiesFor(API)}`];
    const { json: list } = await trusting.request('/v1/api/auth/factors', { headers });
    const path = `/v1/api/auth/factors/${list.factors[0].id}`;
    const { status, json } = await trusting.request(path, { method: 'DELETE', headers });
    expect(String(json?.code ?? status)).toBe(outcome);
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['something else', { amr: ['pwd'], acr: '1' }],
    ['an object', { amr: { mfa: true }, acr: ['x'] }],
  ])('is asked for where a trusted provider says %s', async (_, claims) => {
    await enrolled(trusting);
    const answer = await answerOf(provider, new TestBrowser(trusting), { ...claims });
    expect(answer['kit-auth']).toBe('40112');
  });
});

@Injectable()
class Policy implements SignUpPolicy {
  next: (identity: ExternalIdentity) => SignUp | undefined | Promise<SignUp | undefined> = () => undefined;

  decide(identity: ExternalIdentity) {
    return this.next(identity);
  }
}

describe.each(BOTH)('a policy for sign-ups, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const told: [ExternalIdentity, ProviderTokens, LoginUser][] = [];
  const app = sharedTestApp(
    new OidcApp({
      platform,
      options: { extensionTimeoutMs: 200 },
      imports: [KitAuthBrowserModule],
      providers: [Policy],
      oidc: {
        providers: [provider.settings()],
        signUp: Policy,
        onLogin: (...all) => {
          told.push(all);
          throw new Error('the API of the provider is down');
        },
      },
    }),
  );

  async function signUp(next: Policy['next']): Promise<Record<string, string>> {
    app.get(Policy).next = next;
    const claims = { email: `${sub}@example.com`, email_verified: true, name: 'Ada', groups: ['staff'] };
    return answerOf(provider, new TestBrowser(app), claims);
  }

  it('admits whom it wants, with roles of its own', async () => {
    await app.role({ code: `staff-${sub}`, permissions: ['note:read'] });
    const seen: ExternalIdentity[] = [];
    app.get(Policy).next = (identity) => {
      seen.push(identity);
      return { roles: [`staff-${sub}`] };
    };
    const browser = new TestBrowser(app);
    const claims = { email: `${sub}@Example.com`, email_verified: true, name: 'Ada', groups: ['staff'] };
    const { token } = await answerOf(provider, browser, claims);
    expect(seen).toEqual([
      expect.objectContaining({
        provider: 'test',
        subject: sub,
        address: `${sub}@Example.com`,
        isVerified: true,
      }),
    ]);
    expect(seen[0]?.claims['groups']).toEqual(['staff']);
    const { status, json } = await browser.post('oidc/complete', { token });
    expect([status, json.user.nickname]).toEqual([200, 'Ada']);
    const user = await app.users.findOneOrFail({
      where: { username: `${sub}@example.com` },
      relations: { roles: true },
    });
    expect(user.roles.map(({ code }) => code)).toEqual([`staff-${sub}`]);
  });

  it.each<[string, Policy['next'], Record<string, string>]>([
    ['refuses', () => undefined, { 'kit-auth': '40114', reason: 'not-allowed' }],
    [
      'throws',
      () => {
        throw new Error('secret-4711');
      },
      { 'kit-auth': '50300' },
    ],
    ['hangs', () => new Promise(() => undefined), { 'kit-auth': '50300' }],
  ])('that %s creates no account', async (_, next, answer) => {
    expect(await signUp(next)).toEqual({ ...answer, provider: 'test' });
    expect(await app.users.countBy({ username: `${sub}@example.com` })).toBe(0);
  });

  it.each(['SUPER_ADMIN', 'no-such-role'])('cannot grant the role %s', async (role) => {
    app.get(Policy).next = () => ({ roles: [role] });
    const browser = new TestBrowser(app);
    const { token } = await answerOf(provider, browser, {
      email: `${sub}@example.com`,
      email_verified: true,
    });
    const { status, json } = await browser.post('oidc/complete', { token });
    expect([status, json.code]).toEqual([503, 50300]);
    expect(await app.users.countBy({ username: `${sub}@example.com` })).toBe(0);
    expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(0);
  });

  it('tells the application of the tokens, whatever it does with them', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    told.splice(0);
    expect(await answerOf(provider, new TestBrowser(app))).toEqual({ 'kit-auth': 'ok' });
    expect(told).toEqual([
      [
        expect.objectContaining({ subject: sub }),
        expect.objectContaining({ accessToken: 'an-access-token', idToken: expect.any(String) }),
        expect.objectContaining({ userId: user.id }),
      ],
    ]);
    expect(app.logs.all()).toContain('[oidc] onLogin failed: Error: the API of the provider is down');
  });
});

describe.each(BOTH)('cookies with SameSite=Strict, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform,
      imports: [KitAuthBrowserModule.forRoot({ sameSite: 'strict' })],
      oidc: { providers: [provider.settings()] },
    }),
  );

  it('are sent by the first page, because another page of the API leads to it', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test'));
    provider.tampering = { claims: { sub } };
    const answer = await browser.visit(callback);
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
    await browser.post('login', { username: user.username, password: 'a right one 4711' });
    const { json } = await browser.post('oidc/test/link', {});
    const callback = provider.callbackOf(json.url);
    provider.tampering = { claims: { sub } };
    const first = await browser.visit(callback);
    expect([first.status, endOf(first).href]).toEqual([200, callback]);
    const { pathname, search } = new URL(callback);
    const second = await app.request(pathname + search, {
      headers: ['Sec-Fetch-Site: same-origin', `Cookie: ${browser.cookiesFor(API)}`],
    });
    expect(endOf(second).hash).toBe('#kit-auth=ok');
  });
});
