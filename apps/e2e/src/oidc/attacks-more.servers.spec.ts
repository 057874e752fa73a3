import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthEmailModule } from 'kit-auth-email';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { Like } from 'typeorm';
import { sharedHostileProvider } from './hostile-provider.js';
import { type Place, sharedInstances } from 'test-support';
import { API, APP_URL, fragmentOf, newVerifier, OidcApp, TestBrowser } from './app.js';

const LINKS = { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#{token}' };

describe.each<Place>([
  { database: 'postgres', platform: 'fastify', tokens: 'stateful sessions' },
  { database: 'mariadb', platform: 'express', tokens: 'jwt with refresh tokens' },
])('races of identities $database', (place) => {
  const provider = sharedHostileProvider();
  const [app, second] = sharedInstances(
    place,
    (options) =>
      new OidcApp({
        ...options,
        imports: [
          ...options.imports,
          KitAuthBrowserModule,
          KitAuthEmailModule.forRoot({ links: LINKS, mailer: { send: () => Promise.resolve() } }),
        ],
        oidc: {
          signUp: 'open',
          providers: [provider.settings()],
        },
      }),
  );
  let number = 0;
  let sub: string;
  beforeEach(() => {
    provider.reset();
    sub = `sub-${++number}`;
  });

  async function offer(email: string, subject = sub): Promise<{ browser: TestBrowser; token: string }> {
    const browser = new TestBrowser(app);
    const { token = '' } = await provider.logIn(browser, { sub: subject, email });
    return { browser, token };
  }

  async function linkCode(token: string, subject: string): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = newVerifier();
    const { json } = await app.call(token, 'POST', 'oidc/test/link', { returnTo: APP_URL, challenge });
    provider.tampering = { claims: { sub: subject } };
    const end = await new TestBrowser(app).comeBack(provider.callbackOf(json.url));
    return { code: fragmentOf(end).get('code') as string, verifier };
  }

  const exchange = (instance: OidcApp, token: string | undefined, body: object) =>
    instance.call(token, 'POST', 'oidc/exchange', body);

  it('a user who links several at once has at most ten', async () => {
    const user = await app.user();
    for (let i = 0; i < 9; i++) {
      await app.get(UserIdentities).link(user.id, { provider: 'test', subject: `${sub}-${i}` });
    }
    const token = await app.tokenOf(user);
    const codes = [];
    for (let i = 0; i < 6; i++) {
      codes.push(await linkCode(token, `${sub}-new-${i}`));
    }
    const answers = await Promise.all(
      codes.map((code, i) => exchange(i % 2 === 0 ? app : second, token, code)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await app.rowsOf(AuthIdentity).countBy({ userId: String(user.id) })).toBe(10);
  });

  it('one identity with two addresses makes one account', async () => {
    const users = await app.users.count();
    const offers = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      offers.push(await offer(`${sub}-${name}@example.com`));
    }
    const answers = await Promise.all(
      offers.map(({ browser, token }) => browser.post('oidc/complete', { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await app.users.count()).toBe(users + 1);
    expect(await app.rowsOf(AuthUserEmail).countBy({ addressKey: Like(`${sub}-%`) })).toBe(1);
  });

  it('several identities with one address make one account', async () => {
    const users = await app.users.count();
    const offers = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      offers.push(await offer(`${sub}@example.com`, `${sub}-${name}`));
    }
    const answers = await Promise.all(
      offers.map(({ browser, token }) => browser.post('oidc/complete', { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await app.users.count()).toBe(users + 1);
  });

  it('an identity is linked or signs up, not both', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const { browser, token: offered } = await offer(`${sub}@example.com`);
    const code = await linkCode(token, sub);
    const users = await app.users.count();
    const answers = await Promise.all([
      browser.post('oidc/complete', { token: offered }),
      exchange(second, token, code),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await app.users.count()).toBe(users + (answers[0].status === 200 ? 1 : 0));
    expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(1);
  });

  it('a code logs in once, on whichever instance', async () => {
    const user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    const { verifier, challenge } = newVerifier();
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test', { returnTo: APP_URL, challenge }));
    provider.tampering = { claims: { sub } };
    const code = fragmentOf(await browser.comeBack(callback)).get('code');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        exchange(i % 2 === 0 ? app : second, undefined, { code, verifier }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });

  it('finds identities whatever letters and spaces the database ignores', async () => {
    const [ada, other] = [await app.user(), await app.user()];
    await app.get(UserIdentities).link(ada.id, { provider: 'test', subject: `${sub} a` });
    await app.get(UserIdentities).link(other.id, { provider: 'test', subject: `${sub} A ` });
    for (const [subject, user] of [
      [`${sub} a`, ada],
      [`${sub} A `, other],
    ] as const) {
      const browser = new TestBrowser(second);
      const callback = provider.callbackOf(await browser.start('test'));
      provider.tampering = { claims: { sub: subject } };
      await browser.comeBack(callback);
      const { json } = await browser.visit(`${API}/v1/api/auth/me`, {
        headers: ['Sec-Fetch-Site: same-origin'],
      });
      expect(json.userId).toBe(user.id);
    }
  });
});
