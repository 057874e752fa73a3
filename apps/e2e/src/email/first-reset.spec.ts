import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AddressSource } from 'kit-auth-email';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { AuthRecoveryCode, AuthTotp } from 'kit-auth-factors/typeorm';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthOidcModule } from 'kit-auth-oidc';
import { ProviderConnections } from 'kit-auth-oidc/testing';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { fakePasskey, type FakePasskey } from 'kit-auth-passkeys/testing';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import {
  bodyOf,
  type Implementation,
  optionsFor,
  PASSWORD,
  type Platform,
  sharedTestApp,
  totpCode,
  until,
} from 'test-support';
import { KEY, outcomeOf, STEP_MS } from '../factors/app.js';
import { API, APP_URL, endOf, FAKE, fragmentOf, newVerifier, TEST, TestBrowser } from '../oidc/app.js';
import { EmailApp, NEW_PASSWORD, tokenIn, type UserWithAddress } from './app.js';
import { cookieIn, LOGIN_LINKS } from './login-links-app.js';

const ORIGIN = 'https://example.com';
const OIDC = KitAuthOidcModule.forRoot({ providers: [TEST], redirectBase: API, returnTo: [APP_URL] });

/** An application with everything that a user can add to an account. */
class WholeApp extends EmailApp {
  constructor(tokens: Implementation, platform: Platform) {
    super({
      ...optionsFor(
        tokens,
        KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
        KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' }),
        KitAuthKeysModule,
        {
          ...OIDC,
          providers: [...(OIDC.providers ?? []), { provide: ProviderConnections, useValue: FAKE }],
        },
      ),
      platform,
      trustProxy: true,
      admin: true,
      email: { links: LOGIN_LINKS, loginLinks: true },
      options: { jwt: { checkStamp: true } },
    });
  }

  /** What whoever has a login adds to it. Each addition replaces the token. */
  async account(user: UserWithAddress): Promise<Account> {
    const json = bodyOf(await this.login(user.username));
    return new Account(this, user, json.token, json.refreshToken);
  }

  async loginWith(passkey: FakePasskey): Promise<string> {
    const { ceremony, options } = bodyOf(await this.call(undefined, 'POST', 'login/passkey/options', {}));
    const body = { ceremony, response: passkey.get(options) };
    return outcomeOf(await this.call(undefined, 'POST', 'login/passkey', body));
  }

  /** How many rows of factors a user has, confirmed or not. */
  async rowsAbout({ id }: { id: number }): Promise<Record<string, number>> {
    const entities = { AuthPasskey, AuthIdentity, AuthTotp, AuthRecoveryCode };
    const counts = Object.entries(entities).map(async ([name, entity]) => {
      const rows = await this.rowsOf<{ userId: string }>(entity).findBy({ userId: String(id) });
      return [name, rows.length] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  }
}

const NO_ROWS = { AuthPasskey: 0, AuthIdentity: 0, AuthTotp: 0, AuthRecoveryCode: 0 };

class Account {
  readonly sub: string;

  constructor(
    readonly app: WholeApp,
    readonly user: UserWithAddress,
    public token: string,
    readonly refreshToken: string | undefined,
  ) {
    this.sub = `sub-${user.id}`;
  }

  async beginPasskey(): Promise<() => Promise<string>> {
    const { ceremony, options } = bodyOf(await this.app.call(this.token, 'POST', 'passkeys/options', {}));
    const response = fakePasskey({ origin: ORIGIN }).create(options);
    return async () => outcomeOf(await this.app.call(this.token, 'POST', 'passkeys', { ceremony, response }));
  }

  async passkey(): Promise<FakePasskey> {
    const passkey = fakePasskey({ origin: ORIGIN });
    const { ceremony, options } = bodyOf(await this.app.call(this.token, 'POST', 'passkeys/options', {}));
    const body = { ceremony, response: passkey.create(options) };
    this.token = bodyOf(await this.app.call(this.token, 'POST', 'passkeys', body), 201).token;
    return passkey;
  }

  /** Begins a link. @returns what ends it */
  async beginLink(): Promise<() => Promise<string>> {
    const { verifier, challenge } = newVerifier();
    const body = { returnTo: APP_URL, challenge };
    const { url } = bodyOf(await this.app.call(this.token, 'POST', 'oidc/test/link', body));
    return async () => {
      const answer = await new TestBrowser(this.app).visit(API + FAKE.logIn(url, { sub: this.sub }));
      if (answer.status === 401) {
        return outcomeOf(answer);
      }
      const code = fragmentOf(endOf(answer)).get('code');
      return outcomeOf(await this.app.call(this.token, 'POST', 'oidc/exchange', { code, verifier }));
    };
  }

  async identity(): Promise<void> {
    const link = await this.beginLink();
    expect(await link()).toMatch(/^20/);
  }

  /** Logs in at the provider. */
  async loginAtProvider(): Promise<string> {
    const { code, verifier } = await new TestBrowser(this.app).codeFor({ sub: this.sub });
    return code === ''
      ? 'refused'
      : outcomeOf(await this.app.call(undefined, 'POST', 'oidc/exchange', { code, verifier }));
  }

  /** Begins to add a device. @returns its secret, and what confirms it */
  async beginDevice(): Promise<{ secret: string; confirm: () => Promise<string> }> {
    const begun = await this.app.call(this.token, 'POST', 'factors/totp', { name: 'Phone' });
    const { id, secret } = bodyOf(begun, 201);
    const confirm = async () => {
      const code = totpCode(secret);
      const answer = await this.app.call(this.token, 'POST', `factors/totp/${id}/confirm`, { code });
      this.token = answer.json.token ?? this.token;
      return outcomeOf(answer);
    };
    return { secret, confirm };
  }

  /** @returns the secret of a device */
  async device(): Promise<string> {
    const { secret, confirm } = await this.beginDevice();
    expect(await confirm()).toBe('200');
    return secret;
  }

  /** Everything that lasts. */
  async everything(): Promise<FakePasskey> {
    await this.identity();
    const passkey = await this.passkey();
    await this.device();
    return passkey;
  }
}

const REFRESH = 'the refresh token of a login';

type Way = (thief: Account) => Promise<() => Promise<string>>;

/** Each returns what the thief tries after the reset. */
const WAYS: Readonly<Record<string, Way>> = {
  'a passkey': async (thief) => {
    const passkey = await thief.passkey();
    return () => thief.app.loginWith(passkey);
  },
  'a passkey whose registration was begun': (thief) => thief.beginPasskey(),
  'an identity': async (thief) => {
    await thief.identity();
    return () => thief.loginAtProvider();
  },
  'a link of an identity that was begun': (thief) => thief.beginLink(),
  'a device with its recovery codes': async (thief) => {
    const secret = await thief.device();
    const { challenge } = (await thief.app.login(thief.user.username)).json;
    return async () => {
      const body = { challenge, factor: 'totp', code: totpCode(secret, Date.now() + STEP_MS) };
      return outcomeOf(await thief.app.call(undefined, 'POST', 'login/factor', body));
    };
  },
  'a device that was not confirmed': async (thief) => (await thief.beginDevice()).confirm,
  'an API key': async (thief) => {
    const body = { name: 'Script', abilities: ['note:read'] };
    const { key } = bodyOf(await thief.app.call(thief.token, 'POST', 'keys', body), 201);
    return () => thief.app.stateOf(key);
  },
  'a session': async (thief) => () => thief.app.stateOf(thief.token),
  [REFRESH]:
    async ({ app, refreshToken }) =>
    async () =>
      outcomeOf(await app.request('/v1/api/auth/token/refresh', { method: 'POST', json: { refreshToken } })),
  'a change of the address': async ({ app, token, user }) => {
    const change = await app.changeToken(token, `thief.${user.address}`);
    return async () => outcomeOf(await app.confirm(change, token));
  },
};

describe.each<[Implementation, Platform]>([
  ['stateful sessions', 'express'],
  ['jwt with refresh tokens', 'fastify'],
])('the first reset by the owner of an address, with %s on %s', (tokens, platform) => {
  const app = sharedTestApp(new WholeApp(tokens, platform));
  let admin: string;
  beforeAll(async () => {
    admin = await app.adminToken();
    await app.role({ code: 'reader', permissions: ['note:read'] });
  });
  beforeEach(() => app.sendAtOnce());
  afterAll(() => {
    jest.restoreAllMocks();
  });

  /** The application's own sign-up, with an address that is somebody else's. */
  const typed = () => app.addressed({ verified: false, roles: ['reader'] });

  async function reset(user: UserWithAddress): Promise<void> {
    expect(await app.outcomeOf(app.reset(await app.resetToken(user)))).toBe(204);
  }

  /** A second one, with the link of an administrator, because of the limits of mails. */
  async function resetAgain({ id, address }: UserWithAddress): Promise<void> {
    const before = app.mailbox.to(address, 'reset').length;
    bodyOf(await app.call(admin, 'POST', `users/${id}/reset-link`), 202);
    const link = tokenIn(await until(() => app.mailbox.to(address, 'reset')[before]));
    expect(await app.outcomeOf(app.reset(link, PASSWORD))).toBe(204);
  }

  const ways = Object.entries(WAYS).filter(([what]) => what !== REFRESH || platform === 'fastify');

  it.each(ways)('ends %s of whoever has typed it', async (_what, add) => {
    const user = await typed();
    const attempt = await add(await app.account(user));
    await reset(user);
    expect(await attempt()).not.toMatch(/^(20|live)/);
    expect(await app.rowsAbout(user)).toEqual(NO_ROWS);
    expect((await app.login(user.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('ends a login link of theirs', async () => {
    const user = await typed();
    bodyOf(await app.call((await app.account(user)).token, 'POST', 'email/verify'), 202);
    const verify = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[0]));
    expect(await app.outcomeOf(app.confirm(verify))).toBe(204);
    const asked = await app.call(undefined, 'POST', 'login/link', { email: user.address });
    const token = tokenIn(await until(() => app.mailbox.to(user.address, 'login')[0]));
    await reset(user);
    const headers = [`Cookie: ${cookieIn(asked)}`];
    const path = '/v1/api/auth/login/link/complete';
    expect(outcomeOf(await app.request(path, { method: 'POST', json: { token }, headers }))).toBe('40010');
  });

  it.each<[string, (thief: Account) => Promise<UserWithAddress>]>([
    [
      'POST email/verify',
      async ({ user, token }) => {
        bodyOf(await app.call(token, 'POST', 'email/verify'), 202);
        const link = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[0]));
        expect(await app.outcomeOf(app.confirm(link, token))).toBe(204);
        return user;
      },
    ],
    [
      'POST email',
      async ({ user, token }) => {
        const address = `owner.${user.address}`;
        expect(await app.outcomeOf(app.confirm(await app.changeToken(token, address), token))).toBe(204);
        return { ...user, address };
      },
    ],
  ])('follows a confirmation of %s, which ends nothing', async (_what, confirm) => {
    const first = await app.addressed({ verified: false });
    const thief = await app.account(first);
    const user = await confirm(thief);
    expect(await app.addresses.find(user.id)).toMatchObject({ source: 'user', verifiedAt: expect.any(Date) });
    const later = await app.account(user);
    const passkey = await later.everything();
    expect(await app.loginWith(passkey)).toBe('200');
    await reset(user);
    expect(await app.loginWith(passkey)).not.toBe('200');
    expect(await app.rowsAbout(user)).toEqual(NO_ROWS);
  });

  it('says what has gone, and is the only one that ends factors', async () => {
    const user = await typed();
    await (await app.account(user)).everything();
    await reset(user);
    const detail = 'first proof of the address: all factors and identities removed';
    expect(app.heard('password-reset', user)).toMatchObject([{ detail, endsFactors: true }]);
    const log = bodyOf(await app.call(admin, 'GET', 'audit?type=password-reset'));
    const entries = (log.items as { subjectId: number }[]).filter(({ subjectId }) => subjectId === user.id);
    expect(entries).toMatchObject([{ detail }]);
    const owner = bodyOf(await app.login(user.username, NEW_PASSWORD));
    const account = new Account(app, user, owner.token, owner.refreshToken);
    const passkey = await account.everything();
    await resetAgain(user);
    expect(app.heard('password-reset', user)[1]).toMatchObject({ detail: null });
    expect(await app.loginWith(passkey)).toBe('200');
    expect((await app.login(user.username)).json.code).toBe(40112);
  });

  it('takes addresses that are verified, and those that SQL has inserted, as imported', async () => {
    const { id } = await app.addressed();
    expect(await app.addresses.find(id)).toMatchObject({ source: 'import' });
    const row = {
      userId: 'sql',
      address: 'sql@example.com',
      addressKey: 'sql@example.com',
      verifiedAt: null,
    };
    await app.rowsOf(AuthUserEmail).insert(row);
    expect(await app.rowsOf(AuthUserEmail).findOneBy({ userId: 'sql' })).toEqual({
      ...row,
      source: 'import',
      resetAt: null,
    });
  });

  it.each<AddressSource>(['import', 'administrator', 'owner'])(
    'keeps second factors where the address is there by %s',
    async (source) => {
      for (const verified of [false, true]) {
        const user = await typed();
        await app.addresses.assign(user.id, user.address, { verified, source });
        const account = await app.account(user);
        const passkey = await account.everything();
        await reset(user);
        expect((await app.login(user.username, NEW_PASSWORD)).json.code).toBe(40112);
        expect([await app.loginWith(passkey), await account.loginAtProvider()]).toEqual(['200', '40112']);
        expect(await app.addresses.find(user.id)).toMatchObject({ source: 'owner' });
      }
    },
  );
});
