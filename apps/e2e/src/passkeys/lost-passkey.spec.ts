import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthPasskeysModule, type KitAuthPasskeysOptions } from 'kit-auth-passkeys';
import { fakePasskey, type FakePasskey } from 'kit-auth-passkeys/testing';
import { bodyOf, EVERYWHERE, freezeDate, sharedTestApp, type TestAppOptions } from 'test-support';
import { NEW_PASSWORD, type UserWithAddress } from '../email/app.js';
import { LoginLinkApp } from '../email/login-links-app.js';
import { KEY, outcomeOf } from '../factors/app.js';

const ORIGIN = 'https://example.com';
const MINUTE_MS = 60_000;
const REFUSED = '40120 missing';

class LostPasskeyApp extends LoginLinkApp {
  constructor({ secondFactor, ...options }: TestAppOptions & Pick<KitAuthPasskeysOptions, 'secondFactor'>) {
    const passkeys = { rpId: 'example.com', rpName: 'Example', secondFactor };
    super({
      ...options,
      imports: [
        KitAuthPasskeysModule.forRoot(passkeys),
        KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example', requiredFor: ['clerk'] }),
      ],
    });
  }

  /** Adds a passkey. @returns 201, or the code and the reason of the refusal */
  async add(token: string, passkey: FakePasskey = fakePasskey({ origin: ORIGIN })): Promise<string> {
    const begun = await this.call(token, 'POST', 'passkeys/options', {});
    if (begun.status !== 200) {
      return outcomeOf(begun);
    }
    const { ceremony, options } = begun.json;
    const body = { ceremony, response: passkey.create(options) };
    return outcomeOf(await this.call(token, 'POST', 'passkeys', body));
  }

  /** A user who has lost their passkey. */
  async loser(roles: string[] = []): Promise<UserWithAddress> {
    const user = await this.addressed({ roles });
    expect(await this.add(await this.tokenOf(user))).toBe('201');
    return user;
  }

  async resetOf(user: UserWithAddress): Promise<void> {
    expect(await this.outcomeOf(this.reset(await this.resetToken(user)))).toBe(204);
  }
}

describe.each(EVERYWHERE)('a lost passkey, on $platform with $provider', (where) => {
  const app = sharedTestApp(new LostPasskeyApp({ ...where, options: { jwt: { expireMinutes: 60 } } }));
  beforeEach(() => app.sendAtOnce());
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('is replaced and removed by a login soon after a reset of the password', async () => {
    const pass = freezeDate();
    const user = await app.loser();
    expect(await app.add(await app.tokenOf(user))).toBe(REFUSED);
    await app.resetOf(user);
    pass(9 * MINUTE_MS);
    const token = await app.tokenOf(user, NEW_PASSWORD);
    const [{ id }] = (await app.call(token, 'GET', 'passkeys')).json;
    expect((await app.call(token, 'DELETE', `passkeys/${id}`)).status).toBe(204);
    expect(await app.add(token)).toBe('201');
    expect(await app.add(await app.tokenOf(user, NEW_PASSWORD))).toBe('201');
    pass(2 * MINUTE_MS);
    expect(await app.add(await app.tokenOf(user, NEW_PASSWORD))).toBe(REFUSED);
  });

  it('is not replaced by a mail to another address, which needs the passkey, too', async () => {
    const user = await app.loser();
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'email', { email: 'thief@example.com' });
    expect([json.code, json.missing]).toEqual([40120, ['passkey']]);
  });

  it('keeps the time of the reset in the proof of the login, which is no fresher than that', async () => {
    const pass = freezeDate();
    const user = await app.loser();
    const resetAt = Math.floor(Date.now() / 1000);
    await app.resetOf(user);
    pass(9 * MINUTE_MS);
    const token = await app.tokenOf(user, NEW_PASSWORD);
    const proof = (await app.request('/v1/proof', { token })).json;
    expect(proof).toEqual({ password: resetAt + 9 * 60, email: resetAt });
    pass(2 * MINUTE_MS);
    expect(await app.add(token)).toBe('40120 expired');
    const later = await app.tokenOf(user, NEW_PASSWORD);
    expect((await app.request('/v1/proof', { token: later })).json).toEqual({ password: resetAt + 11 * 60 });
  });

  it('is replaced by a login with a link', async () => {
    const user = await app.loser();
    const { token, cookie } = await app.linkTo(user.address);
    expect(await app.add(bodyOf(await app.complete({ token }, cookie)).token)).toBe('201');
  });

  it('is not replaced so by a user with a second factor that logins ask for', async () => {
    const user = await app.loser();
    await app.resetOf(user);
    const { token, cookie } = await app.linkTo(user.address);
    const logins = [
      await app.tokenOf(user, NEW_PASSWORD),
      bodyOf(await app.complete({ token }, cookie)).token as string,
    ];
    await enrolFactor(app.nest, user.id);
    for (const login of logins) {
      expect(await app.add(login)).toBe(REFUSED);
    }
  });
});

describe('a passkey that logins ask for', () => {
  const app = sharedTestApp(new LostPasskeyApp({ secondFactor: true }));
  beforeEach(() => app.sendAtOnce());

  it('is not replaced by a mail', async () => {
    const user = await app.loser();
    await app.resetOf(user);
    expect((await app.login(user.username, NEW_PASSWORD)).json.code).toBe(40112);
  });
});

describe('a passkey of a user who has to have a second factor', () => {
  const app = sharedTestApp(new LostPasskeyApp({}));
  beforeEach(() => app.sendAtOnce());

  it('is not replaced by a mail', async () => {
    await app.role({ code: 'clerk' });
    const user = await app.loser(['clerk']);
    await app.resetOf(user);
    const token = await app.tokenOf(user, NEW_PASSWORD);
    expect(await app.add(token)).toBe(REFUSED);
  });
});
