import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { Like } from 'typeorm';
import { atOnce, type Place, sharedInstances } from 'test-support';
import { ADDRESSES, APP_URL, newVerifier, OidcApp, TestBrowser } from './app.js';

describe.each<Place>([
  { database: 'postgres', platform: 'fastify', tokens: 'stateful sessions' },
  { database: 'mariadb', platform: 'express', tokens: 'jwt with refresh tokens' },
])('races of identities $database', (place) => {
  const [app, second] = sharedInstances(
    place,
    (options) =>
      new OidcApp({
        ...options,
        imports: [...options.imports, KitAuthBrowserModule, ADDRESSES],
        oidc: { signUp: 'open' },
      }),
  );
  let number = 0;
  let sub: string;
  beforeEach(() => {
    sub = `sub-${++number}`;
  });

  async function offer(email: string, subject = sub): Promise<{ browser: TestBrowser; token: string }> {
    const browser = new TestBrowser(app);
    const { token = '' } = await browser.logInAs({ sub: subject, email });
    return { browser, token };
  }

  async function linkCode(token: string, subject: string): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = newVerifier();
    const { json } = await app.call(token, 'POST', 'oidc/test/link', { returnTo: APP_URL, challenge });
    const { code = '' } = await new TestBrowser(app).comeBackAs({ sub: subject }, json.url);
    return { code, verifier };
  }

  it('a user who links several at once has at most ten', async () => {
    const user = await app.user();
    for (let i = 0; i < 9; i++) {
      await app.get(UserIdentities).link(user.id, { provider: 'test', subject: `${sub}-${i}` });
    }
    const token = await app.tokenOf(user);
    const codes: Awaited<ReturnType<typeof linkCode>>[] = [];
    for (let i = 0; i < 6; i++) {
      codes.push(await linkCode(token, `${sub}-new-${i}`));
    }
    const answers = await atOnce([app, second], codes.length, (i) =>
      (i % 2 === 0 ? app : second).exchange(token, codes[i]!),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await app.rowsOf(AuthIdentity).countBy({ userId: String(user.id) })).toBe(10);
  });

  it('one identity with two addresses makes one account', async () => {
    const users = await app.users.count();
    const offers: Awaited<ReturnType<typeof offer>>[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      offers.push(await offer(`${sub}-${name}@example.com`));
    }
    const answers = await atOnce([app], offers.length, (i) => {
      const { browser, token } = offers[i]!;
      return browser.post('oidc/complete', { token });
    });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await app.users.count()).toBe(users + 1);
    expect(await app.rowsOf(AuthUserEmail).countBy({ addressKey: Like(`${sub}-%`) })).toBe(1);
  });

  it('an identity is linked or signs up, not both', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const { browser, token: offered } = await offer(`${sub}@example.com`);
    const code = await linkCode(token, sub);
    const users = await app.users.count();
    const answers = await atOnce([app, second], 2, (i) =>
      i === 0 ? browser.post('oidc/complete', { token: offered }) : second.exchange(token, code),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await app.users.count()).toBe(users + (answers[0]!.status === 200 ? 1 : 0));
    expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(1);
  });

  it('finds identities whatever letters and spaces the database ignores', async () => {
    for (const subject of [`${sub} a`, `${sub} A `]) {
      const user = await app.linked(subject);
      const browser = new TestBrowser(second);
      await browser.logInAs({ sub: subject });
      const { json } = await browser.get('api/auth/me');
      expect(json.userId).toBe(user.id);
    }
  });
});
