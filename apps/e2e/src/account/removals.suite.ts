import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { LoginFlow } from 'kit-auth/login';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { AuthRecoveryCode, AuthTotp } from 'kit-auth-factors/typeorm';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { type FakePasskey, fakePasskey } from 'kit-auth-passkeys/testing';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import {
  type Answer,
  atOnce,
  bodyOf,
  loginUser,
  nameOf,
  PASSWORD,
  type Place,
  sharedInstances,
  type TestAppOptions,
  totpCode,
} from 'test-support';
import { IsNull, Not } from 'typeorm';
import { KEY, outcomeOf } from '../factors/app.js';
import { API, APP_URL, FAKE, fragmentOf, newVerifier, OidcApp, TestBrowser } from '../oidc/app.js';
import { ORIGIN } from '../passkeys/app.js';

const ROUNDS = 5;

class WaysApp extends OidcApp {
  constructor({ imports = [], ...options }: TestAppOptions) {
    const passkeys = { rpId: 'example.com', rpName: 'Example', origins: [ORIGIN] };
    super({
      ...options,
      imports: [
        ...imports,
        KitAuthPasskeysModule.forRoot(passkeys),
        KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'App' }),
      ],
    });
  }

  async rowsOfUser({ id }: AuthUser): Promise<number> {
    const which = { userId: String(id) };
    const rows = await Promise.all([
      this.rowsOf(AuthPasskey).countBy(which),
      this.rowsOf(AuthIdentity).countBy(which),
      this.rowsOf(AuthTotp).countBy({ ...which, confirmedAt: Not(IsNull()) }),
      this.rowsOf(AuthRecoveryCode).countBy(which),
    ]);
    return rows.reduce((sum, count) => sum + count);
  }

  async remove({ id }: AuthUser, what: string): Promise<void> {
    const { status } = await this.call(await this.adminToken(), 'DELETE', `users/${id}/${what}`);
    expect(status).toBe(204);
  }

  /** Prepares what adds a passkey. @returns what sends it */
  async newPasskey(token: string, passkey = fakePasskey({ origin: ORIGIN })): Promise<() => Promise<Answer>> {
    const { ceremony, options } = bodyOf(await this.call(token, 'POST', 'passkeys/options', {}));
    const body = { ceremony, response: passkey.create(options) };
    return () => this.call(token, 'POST', 'passkeys', body);
  }

  async newDevice(token: string): Promise<() => Promise<Answer>> {
    const { id, secret } = bodyOf(await this.call(token, 'POST', 'factors/totp', { name: 'Phone' }), 201);
    return () => this.call(token, 'POST', `factors/totp/${id}/confirm`, { code: totpCode(secret) });
  }

  async newIdentity(token: string): Promise<() => Promise<Answer>> {
    const { verifier, challenge } = newVerifier();
    const asked = { returnTo: APP_URL, challenge };
    const { url } = bodyOf(await this.call(token, 'POST', 'oidc/test/link', asked));
    const end = await new TestBrowser(this).comeBack(API + FAKE.logIn(url, { sub: challenge }));
    const exchanged = { code: fragmentOf(end).get('code'), verifier };
    return () => this.exchange(token, exchanged);
  }
}

const ADDITIONS = ['newPasskey', 'newDevice', 'newIdentity'] as const;
const REMOVALS = { newPasskey: 'passkeys', newDevice: 'factors', newIdentity: 'identities' };

/** What administrators remove while its user logs in with it, or adds another one. With two instances on one database. */
export function describeRemovals(place: Place): void {
  describe(`what an administrator removes ${nameOf(place)}`, () => {
    const instances = sharedInstances(place, (options) => new WaysApp(options));
    const [app] = instances;
    let user: AuthUser;
    let token: string;
    beforeEach(async () => {
      user = await app.user();
      token = await app.tokenOf(user);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    /** Runs work once, before or after the first call of a method. */
    function during<T extends object>(
      target: T,
      method: keyof T & string,
      when: string,
      work: () => Promise<unknown>,
    ): void {
      const call = (target[method] as (...args: unknown[]) => unknown).bind(target);
      const spy = jest.spyOn(target as never, method as never) as unknown as jest.SpiedFunction<
        (...args: unknown[]) => unknown
      >;
      spy.mockImplementation(async (...args) => {
        spy.mockImplementation(call);
        if (when === 'before') {
          await work();
        }
        const result = await call(...args);
        if (when === 'after') {
          await work();
        }
        return result;
      });
    }

    describe.each(ADDITIONS)('is not followed by a %s', (kind) => {
      it.each(['before', 'after'])('of a request that came %s its user was looked up', async (when) => {
        const add = await app[kind](token);
        during(app.get(ActiveUserStore), 'stampOf', when, () => app.remove(user, REMOVALS[kind]));
        expect(outcomeOf(await add())).toMatch(/^4/);
        expect(await app.rowsOfUser(user)).toBe(0);
      });

      it('with a token from before', async () => {
        const add = await app[kind](token);
        await app.remove(user, REMOVALS[kind]);
        expect(outcomeOf(await add())).toMatch(/^4/);
        expect(await app.rowsOfUser(user)).toBe(0);
      });

      it('of many requests that come at once', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          user = await app.user();
          token = await app.tokenOf(user);
          const adding = [await app[kind](token), await app[kind](token)];
          const admin = await app.adminToken();
          const remove = () => instances[1].call(admin, 'DELETE', `users/${user.id}/${REMOVALS[kind]}`);
          const answers = await atOnce([app], 3, (i) => (adding[i] ?? remove)());
          const outcomes = answers.map(outcomeOf);
          expect(outcomes.filter((outcome) => /^5/.test(outcome))).toEqual([]);
          const removed = outcomes[2];
          const rows = await app.rowsOfUser(user);
          expect([removed, rows]).toEqual([removed, removed === '204' ? 0 : rows]);
        }
      });
    });

    it('is no factor of a login that is confirmed afterwards', async () => {
      const { json } = await (await app.newPasskey(token))();
      await app.remove(user, 'passkeys');
      const fresh = await app.call(json.token, 'POST', 'fresh', { password: PASSWORD });
      const factors = fresh.status === 200 ? await app.proofOf(fresh.json.token) : {};
      expect(Object.keys(factors)).not.toContain('passkey');
    });

    describe('logs in nobody', () => {
      let passkey: FakePasskey;
      beforeEach(async () => {
        passkey = fakePasskey({ origin: ORIGIN });
        expect(outcomeOf(await (await app.newPasskey(token, passkey))())).toBe('201');
      });

      it.each(['before', 'after'])('whose login by passkey came %s its user was looked up', async (when) => {
        const { ceremony, options } = bodyOf(await app.call(undefined, 'POST', 'login/passkey/options', {}));
        const body = { ceremony, response: passkey.get(options) };
        during(app.get(LoginFlow), 'identify', when, () => app.remove(user, 'passkeys'));
        const answer = await app.call(undefined, 'POST', 'login/passkey', body);
        expect(outcomeOf(answer)).toMatch(/^401/);
      });
    });

    it.each(ADDITIONS)(
      'is not what a thief needs to end a %s that began before the first passkey',
      async (kind) => {
        const thief = await app[kind](await app.tokenOf(user));
        expect(outcomeOf(await (await app.newPasskey(token))())).toBe('201');
        expect(outcomeOf(await thief())).toMatch(/^4/);
        expect(await app.rowsOfUser(user)).toBe(1);
      },
    );

    it('is nobody whose link came while an administrator deleted the user', async () => {
      const add = await app.newIdentity(token);
      during(app.get(ActiveUserStore), 'stampOf', 'after', async () => {
        expect((await app.call(await app.adminToken(), 'DELETE', `users/${user.id}`)).status).toBe(204);
      });
      expect(outcomeOf(await add())).toMatch(/^401/);
      expect(await app.rowsOfUser(user)).toBe(0);
    });
  });
}

/** Users who remove what they log in with. */
export function describeOwnRemovals(place: Place): void {
  describe(`what users remove ${nameOf(place)}`, () => {
    const [app] = sharedInstances(place, (options) => new WaysApp(options));

    it.each([
      ['passkeys', 'newPasskey'],
      ['identities', 'newIdentity'],
    ] as const)('ends their other sessions, if they ask for that: %s', async (path, kind) => {
      const user = await app.user();
      const [first, other] = [await app.tokenOf(user), await app.tokenOf(user)];
      const added = bodyOf(await (await app[kind](first))(), path === 'passkeys' ? 201 : 200);
      const token = added.token ?? first;
      const [{ id }] = (await app.call(token, 'GET', path)).json;
      const remove = async (query: string) =>
        outcomeOf(await app.call(token, 'DELETE', `${path}/${id}${query}`));
      expect(await remove('?endOthers=1')).toBe('40000');
      expect(await app.stateOf(other)).toBe('live');
      expect(await remove('?endOthers=true')).toBe('204');
      expect(await app.stateOf(other)).toMatch(/^40101/);
      expect(await app.stateOf(token)).toBe('live');
    });
  });
}

/** Requests of somebody who acts as the user. */
export function describeActors(place: Place): void {
  describe(`whoever acts as a user ${nameOf(place)}`, () => {
    const [app] = sharedInstances(place, (options) => new WaysApp(options));

    it.each([
      ['POST', 'password'],
      ['POST', 'fresh'],
      ['DELETE', 'sessions'],
      ['DELETE', 'sessions/1'],
      ['POST', 'passkeys/options'],
      ['POST', 'passkeys'],
      ['PATCH', 'passkeys/1'],
      ['DELETE', 'passkeys/1'],
      ['POST', 'factors/totp'],
      ['POST', 'factors/totp/1/confirm'],
      ['POST', 'factors/recovery'],
      ['DELETE', 'factors/1'],
      ['POST', 'oidc/test/link'],
      ['POST', 'oidc/test/fresh'],
      ['DELETE', 'identities/1'],
    ])('does not %s %s', async (method, path) => {
      const { id, username } = await app.user();
      const factors = { password: Math.floor(Date.now() / 1000) };
      const actor = { userId: 1, username: 'admin' };
      const provider = app.get<AuthProvider>(AUTH_PROVIDER);
      const token = await provider.issueToken(loginUser({ userId: id, username }), { factors, actor });
      const { status, json } = await app.call(token, method, path, {});
      expect([status, json.code, json.message]).toEqual([403, 40300, 'Only the user can do this']);
      expect((await app.call(token, 'GET', 'me')).status).toBe(200);
      expect((await app.call(token, 'POST', 'logout')).status).toBe(204);
    });

    it.each([
      ['PATCH', ''],
      ['DELETE', ''],
      ['DELETE', '/sessions'],
      ['DELETE', '/passkeys'],
      ['DELETE', '/factors'],
      ['DELETE', '/identities'],
    ])(
      'does not %s the account of an administrator with the permission for users%s',
      async (method, path) => {
        const { id, username } = await app.administrator();
        const factors = { password: Math.floor(Date.now() / 1000) };
        const actor = { userId: 1, username: 'admin' };
        const user = loginUser({ userId: id, username, superAdmin: true, permissions: ['*'] });
        const token = await app.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, { factors, actor });
        const { json } = await app.call(token, method, `users/${id}${path}`, { nickname: 'X' });
        expect([json.code, json.message]).toEqual([40300, 'Only the user can do this']);
      },
    );
  });
}
