import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import type { SignUpPolicy } from 'kit-auth-oidc';
import { sharedTestApp } from 'test-support';
import { ADDRESSES, APP_URL, newVerifier, OidcApp, TestBrowser } from './app.js';
import { OwnUsers } from '../users/own-users.js';
import { moduleWith, RegisteredUsers, TransactionalUsers } from '../users/registered-users.js';

let number = 0;
let sub: string;
beforeEach(() => {
  sub = `sub-${++number}`;
});

@Injectable()
class Policy implements SignUpPolicy {
  decide: SignUpPolicy['decide'] = () => undefined;
}

describe('a sign-up that a policy admits', () => {
  const app = sharedTestApp(
    new OidcApp({ imports: [KitAuthBrowserModule], providers: [Policy], oidc: { signUp: Policy } }),
  );

  /** Comes back from the provider with an unknown identity. */
  function signUp(decide: Policy['decide'], browser = new TestBrowser(app)): Promise<Record<string, string>> {
    app.get(Policy).decide = decide;
    return browser.logInAs({ sub, email: `${sub}@Example.com`, name: 'Ada', groups: ['staff'] });
  }

  it('makes an account, with roles of the policy', async () => {
    await app.role({ code: `staff-${sub}`, permissions: ['note:read'] });
    const browser = new TestBrowser(app);
    const { token } = await signUp(({ claims }) => {
      expect(claims).toMatchObject({ sub, groups: ['staff'] });
      return { roles: [`staff-${sub}`] };
    }, browser);
    const { status, json } = await browser.post('oidc/complete', { token });
    expect([status, json.user.nickname]).toEqual([200, 'Ada']);
    const user = await app.users.findOneOrFail({
      where: { username: `${sub}@example.com` },
      relations: { roles: true },
    });
    expect(user.roles.map(({ code }) => code)).toEqual([`staff-${sub}`]);
  });

  it('is completed by an app with its verifier only', async () => {
    app.get(Policy).decide = () => ({});
    const { verifier, challenge } = newVerifier();
    const user = { sub, email: `${sub}@example.com` };
    const { token } = await new TestBrowser(app).logInAs(user, 'test', { returnTo: APP_URL, challenge });
    const complete = (given: object) => app.call(undefined, 'POST', 'oidc/complete', { token, ...given });
    for (const wrong of [{}, { verifier: challenge }, { verifier: { length: 43 } }]) {
      expect((await complete(wrong)).json).toMatchObject({ code: 40114, reason: 'state' });
    }
    expect((await complete({ verifier })).json.user).toMatchObject({ username: user.email });
  });

  it('makes none with a role that does not exist', async () => {
    const browser = new TestBrowser(app);
    const { token } = await signUp(() => ({ roles: ['no-such-role'] }), browser);
    const { status, json } = await browser.post('oidc/complete', { token });
    expect([status, json.code]).toEqual([503, 50300]);
    expect(await app.users.countBy({ username: `${sub}@example.com` })).toBe(0);
  });
});

describe.each([
  ['without transactions', RegisteredUsers],
  ['with transactions of its own', TransactionalUsers],
])('a sign-up in a store %s', (_, store) => {
  const app = sharedTestApp(
    new OidcApp({
      admin: false,
      core: KitAuthModule.forRoot({ users: moduleWith(store), jwt: { checkStamp: 0 } }),
      imports: [KitAuthBrowserModule, ADDRESSES],
      oidc: { signUp: 'open' },
    }),
  );

  it('leaves nothing when the identity was taken meanwhile', async () => {
    const browser = new TestBrowser(app);
    const offers: string[] = [];
    for (const email of [`${sub}-a@example.com`, `${sub}-b@example.com`]) {
      const { token = '' } = await browser.logInAs({ sub, email });
      offers.push(token);
    }
    const answers = [];
    for (const token of offers) {
      answers.push((await browser.post('oidc/complete', { token })).status);
    }
    expect(answers).toEqual([200, 409]);
    expect(await app.get(OwnUsers).findByUsername(`${sub}-b@example.com`)).toBeUndefined();
    expect(await app.rowsOf(AuthUserEmail).countBy({ addressKey: `${sub}-b@example.com` })).toBe(0);
  });
});
