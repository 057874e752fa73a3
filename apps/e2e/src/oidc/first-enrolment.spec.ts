import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { KitAuthEmailModule, UserAddresses } from 'kit-auth-email';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthKeysModule } from 'kit-auth-keys';
import type { SignUp, SignUpPolicy } from 'kit-auth-oidc';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { newSecurityStamp } from 'kit-auth/typeorm';
import {
  type Answer,
  bodyOf,
  EVERYWHERE,
  freezeDate,
  sharedTestApp,
  type TestAppOptions,
  until,
} from 'test-support';
import { LINKS, Mailbox } from '../email/app.js';
import { KEY } from '../factors/app.js';
import { MINUTE_MS, newVerifier, APP_URL, OidcApp, TEST, TestBrowser } from './app.js';

/** The first things that a user without a password sets up. */
const ENROLMENTS: readonly (readonly [endpoint: string, body: object])[] = [
  ['passkeys/options', {}],
  ['factors/totp', { name: 'Phone' }],
  ['keys', { name: 'Export', abilities: ['note:read'] }],
  ['email', { email: 'other@example.com' }],
  ['oidc/test/link', { returnTo: APP_URL, challenge: newVerifier().challenge }],
];

let number = 0;

@Injectable()
class Members implements SignUpPolicy {
  decide(): SignUp {
    return { roles: ['member'] };
  }
}

interface Account {
  readonly token: string;
  readonly userId: number;
  readonly address: string;
}

/** An application whose provider never asks its users again, unless `fresh` says so. */
class SignUpApp extends OidcApp {
  readonly mailbox: Mailbox;

  constructor({ fresh = false, ...where }: TestAppOptions & { readonly fresh?: boolean }) {
    const mailbox = new Mailbox();
    super({
      ...where,
      providers: [Members],
      options: { jwt: { expireMinutes: 120 } },
      oidc: { providers: [{ ...TEST, fresh }], signUp: Members },
      imports: [
        KitAuthEmailModule.forRoot({ links: LINKS, mailer: mailbox }),
        KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
        KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' }),
        KitAuthKeysModule,
      ],
    });
    this.mailbox = mailbox;
  }

  override async start(): Promise<this> {
    await super.start();
    await this.role({ code: 'member', permissions: ['note:read'] });
    jest.spyOn(Math, 'random').mockReturnValue(0); // mails leave after the shortest delay
    return this;
  }

  /** A user who has just signed up with the provider. */
  async signedUp(): Promise<Account> {
    const address = `sign-up-${++number}@example.com`;
    const { verifier, challenge } = newVerifier();
    const user = { sub: `sign-up-${number}`, email: address, email_verified: true };
    const back = await new TestBrowser(this).logInAs(user, 'test', { returnTo: APP_URL, challenge });
    const completed = await this.call(undefined, 'POST', 'oidc/complete', { token: back['token'], verifier });
    const { token, user: created } = bodyOf(completed);
    return { token, userId: created.userId, address };
  }

  /** A later login with the provider. */
  async loggedIn({ address }: Account): Promise<string> {
    const sub = address.replace(/@.*/, '');
    const exchanged = await this.exchange(undefined, await new TestBrowser(this).codeFor({ sub }));
    return bodyOf(exchanged).token;
  }

  async codeFor({ address }: Account, token: string): Promise<string> {
    const before = this.mailbox.to(address, 'confirm').length;
    const asked = await this.call(token, 'POST', 'fresh/options', { factor: 'email' });
    expect([asked.status, asked.text]).toEqual([202, '']);
    return (await until(() => this.mailbox.to(address, 'confirm')[before])).code!;
  }

  confirm(token: string, code: string): Promise<Answer> {
    return this.call(token, 'POST', 'fresh', { factor: 'email', code });
  }

  /** The answer of each enrolment: its status, or `missing`. */
  async enrolments(token: string): Promise<string[]> {
    const outcomes: string[] = [];
    for (const [endpoint, body] of ENROLMENTS) {
      const { status, json } = await this.call(token, 'POST', endpoint, body);
      outcomes.push(json?.code === 40120 ? json.missing.join() : `${status}`);
    }
    return outcomes;
  }

  async addPasskey(token: string): Promise<string> {
    const { ceremony, options } = bodyOf(await this.call(token, 'POST', 'passkeys/options', {}));
    const response = fakePasskey({ origin: 'https://example.com' }).create(options);
    return bodyOf(await this.call(token, 'POST', 'passkeys', { ceremony, response }), 201).token;
  }
}

const ADMITTED = ['200', '201', '201', '202', '200'];
const all = (outcome: string) => ENROLMENTS.map(() => outcome);

describe.each(EVERYWHERE)('an account of a provider, on $platform with $provider', (where) => {
  const app = sharedTestApp(new SignUpApp(where));
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  it('gets its first passkey, device or key in the ten minutes after the sign-up, and nothing else', async () => {
    const { token } = await app.signedUp();
    pass(20_000);
    expect(await app.enrolments(token)).toEqual(ADMITTED);
    const sessions = await app.call(token, 'DELETE', 'sessions');
    expect([sessions.json?.code, sessions.json?.missing]).toEqual([40120, ['email']]);
    pass(10 * MINUTE_MS - 20_000);
    expect(await app.enrolments(token)).toEqual(ADMITTED);
    pass(1000);
    expect(await app.enrolments(token)).toEqual(all('email'));
  });

  it('asks for the passkey after that', async () => {
    const account = await app.signedUp();
    await app.addPasskey(account.token);
    for (const token of [account.token, await app.loggedIn(account)]) {
      const stale = where.provider === 'session' && token === account.token;
      expect(await app.enrolments(token)).toEqual(stale ? all('401') : all('passkey'));
      const asked = await app.call(token, 'POST', 'fresh/options', { factor: 'email' });
      expect(asked.json.code).toBe(stale ? 40101 : 40000);
    }
  });

  it('does not count another login', async () => {
    const account = await app.signedUp();
    expect(await app.enrolments(await app.loggedIn(account))).toEqual(all('email'));
  });

  it('gets its first password in that time', async () => {
    const { token } = await app.signedUp();
    const set = () => app.call(token, 'POST', 'password', { newPassword: 'a fine one for a test 1' });
    pass(10 * MINUTE_MS + 1000);
    expect((await set()).json).toMatchObject({ code: 40120, missing: ['email'] });
    pass(-2000);
    expect((await set()).status).toBe(204);
  });

  it('confirms later logins with the code of a mail', async () => {
    const account = await app.signedUp();
    pass(60 * MINUTE_MS);
    const token = await app.loggedIn(account);
    const code = await app.codeFor(account, token);
    expect(code).toMatch(/^[B-Z]{8}$/);
    const confirmed = await app.confirm(token, `${code.slice(0, 4).toLowerCase()} \u2013 ${code.slice(4)}`);
    const fresh: string = bodyOf(confirmed).token;
    expect(await app.enrolments(fresh)).toEqual(ADMITTED);
    expect((await app.call(fresh, 'DELETE', 'sessions')).status).toBe(
      where.provider === 'session' ? 204 : 501,
    );
    expect((await app.confirm(fresh, code)).json.code).toBe(40113); // once
    pass(10 * MINUTE_MS + 1000);
    expect(await app.enrolments(fresh)).toEqual(all('email'));
  });

  it.each<[string, (account: Account, token: string) => unknown]>([
    ['ten minutes', () => pass(10 * MINUTE_MS)],
    ['the next one', (account, token) => app.codeFor(account, token)],
    ['a change of the user', ({ userId }) => app.users.update(userId, { securityStamp: newSecurityStamp() })],
    [
      'another address',
      ({ userId }) =>
        app.get(UserAddresses).assign(userId, `other-${++number}@example.com`, { verified: true }),
    ],
    ['a second factor', ({ userId }) => enrolFactor(app.nest, userId)],
  ])('takes no code after %s', async (_, end) => {
    const account = await app.signedUp();
    const code = await app.codeFor(account, account.token);
    await end(account, account.token);
    expect((await app.confirm(account.token, code)).json.code).toBe(40113);
  });

  it('takes no code that another login has asked for, and none after five wrong ones', async () => {
    const account = await app.signedUp();
    const [one, other] = [await app.loggedIn(account), await app.loggedIn(account)];
    const code = await app.codeFor(account, one);
    expect((await app.confirm(other, code)).json.code).toBe(40113);
    for (let i = 0; i < 5; i++) {
      pass(60_000);
      expect((await app.confirm(one, 'BBBBBBBB')).json.code).toBe(40113);
    }
    pass(60_000);
    expect((await app.confirm(one, code)).json.code).toBe(40113);
  });

  it('gets five codes a day', async () => {
    const account = await app.signedUp();
    for (let i = 0; i < 5; i++) {
      await app.codeFor(account, account.token);
    }
    const asked = await app.call(account.token, 'POST', 'fresh/options', { factor: 'email' });
    expect([asked.json.code, Number(asked.headers['retry-after']) > 80_000]).toEqual([42900, true]);
  });

  it('has no code without a verified address, and logs in again', async () => {
    const account = await app.signedUp();
    const token = await app.loggedIn(account);
    await app.get(UserAddresses).assign(account.userId, account.address, { verified: false });
    const asked = await app.call(token, 'POST', 'fresh/options', { factor: 'email' });
    expect([asked.json.code, asked.text.includes(account.address)]).toEqual([40000, false]);
    const { json } = await app.call(token, 'POST', 'passkeys/options', {});
    expect(json).toMatchObject({
      code: 40120,
      missing: ['login'],
      message: expect.stringContaining('Log in'),
    });
  });
});

describe('an account of a provider that asks again', () => {
  const app = sharedTestApp(new SignUpApp({ fresh: true }));

  it('is asked for the provider or a mail, except for the first enrolment', async () => {
    const pass = freezeDate();
    const { token } = await app.signedUp();
    expect(await app.enrolments(token)).toEqual(ADMITTED);
    pass(10 * MINUTE_MS + 1000);
    expect(await app.enrolments(token)).toEqual(all('oidc,email'));
  });
});
