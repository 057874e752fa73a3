import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { type FakeAnswer, type FakePasskey, fakePasskey } from 'kit-auth-passkeys/testing';
import type { AuthUser } from 'kit-auth/typeorm';
import { type Answer, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { MINUTE_MS, ORIGIN, outcomeOf, PasskeysApp, type PasskeyUser } from './app.js';

const FACTORS = KitAuthFactorsModule.forRoot({
  keys: ['a key of at least 32 bytes, for tests of factors'],
  issuer: 'Example',
  requiredFor: ['clerk'],
});

/** Passkeys as second factors, beside authenticator apps, and to confirm logins. */
export function describePasskeysAsFactors(place: Place): void {
  describe(`passkeys as second factors ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(
      place,
      (options) => new PasskeysApp({ ...options, before: [FACTORS], passkeys: { secondFactor: true } }),
    );
    let start = Date.now();
    let pass: (milliseconds: number) => void;
    beforeEach(() => {
      start += 20 * MINUTE_MS; // the limits count the logins of one test only
      pass = freezeDate(start);
    });

    async function challenge({ username }: Pick<AuthUser, 'username'>, factors: string[]): Promise<string> {
      const { json } = await app.login(username);
      expect([json.code, json.factors]).toEqual([40112, factors]);
      return json.challenge;
    }

    const optionsFor = (of: string) =>
      app.call(undefined, 'POST', 'login/factor/options', { challenge: of, factor: 'passkey' });

    async function show(of: string, passkey: FakePasskey, as?: FakeAnswer): Promise<Answer> {
      const { json } = await optionsFor(of);
      return answer(of, json.ceremony, passkey.get(json.options, as));
    }

    const answer = (of: string, ceremony: unknown, response: unknown, on = app) =>
      on.call(undefined, 'POST', 'login/factor', { challenge: of, factor: 'passkey', ceremony, response });

    async function freshOptions(
      token: string,
    ): Promise<{ ceremony: string; options: { challenge: string } }> {
      const { status, json } = await app.call(token, 'POST', 'fresh/options', { factor: 'passkey' });
      expect(status).toBe(200);
      return json;
    }

    async function fresh(token: string, passkey: FakePasskey, as?: FakeAnswer): Promise<Answer> {
      const { ceremony, options } = await freshOptions(token);
      const body = { factor: 'passkey', ceremony, response: passkey.get(options, as) };
      return app.call(token, 'POST', 'fresh', body);
    }

    async function withBoth(): Promise<PasskeyUser & Awaited<ReturnType<typeof enrolFactor>>> {
      const user = await app.registered();
      return Object.assign(user, await enrolFactor(app.nest, user.id), { id: user.id });
    }

    it('complete a login with a password', async () => {
      const user = await app.registered();
      const waiting = await challenge(user, ['passkey']);
      const options = await optionsFor(waiting);
      expect([options.status, options.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(options.json).toMatchObject({
        ceremony: expect.stringMatching(/^kato_/),
        options: {
          userVerification: 'required',
          allowCredentials: [{ id: user.passkey.id, type: 'public-key', transports: ['internal'] }],
        },
      });
      const response = user.passkey.get(options.json.options, { userHandle: null });
      const { status, json } = await answer(waiting, options.json.ceremony, response, second);
      expect(status).toBe(200);
      const seconds = Math.floor(Date.now() / 1000);
      expect(await app.proofOf(json.token)).toEqual({ password: seconds, passkey: seconds });
      expect(outcomeOf(await answer(waiting, options.json.ceremony, response))).toBe('40113 challenge-ended');
    });

    it('and codes are listed, and each completes the login', async () => {
      const user = await withBoth();
      const both = ['passkey', 'totp', 'recovery'];
      expect(outcomeOf(await show(await challenge(user, both), user.passkey))).toBe('200');
      const code = (of: string, factor: string, code: string) =>
        app.call(undefined, 'POST', 'login/factor', { challenge: of, factor, code });
      expect(outcomeOf(await code(await challenge(user, both), 'totp', await user.code()))).toBe('200');
      const [recovery] = user.recoveryCodes;
      expect(outcomeOf(await code(await challenge(user, both), 'recovery', recovery!))).toBe('200');
    });

    it('are those of the user of the challenge, with a ceremony of that login', async () => {
      const [user, other] = [await app.registered(), await app.registered()];
      const [mine, theirs] = [await challenge(user, ['passkey']), await challenge(other, ['passkey'])];
      const [own, foreign] = [(await optionsFor(mine)).json, (await optionsFor(theirs)).json];
      expect(outcomeOf(await answer(mine, own.ceremony, other.passkey.get(own.options)))).toBe('40113');
      expect(outcomeOf(await answer(mine, foreign.ceremony, user.passkey.get(foreign.options)))).toBe(
        '40113',
      );
      const login = await app.begun();
      expect(outcomeOf(await answer(mine, login.ceremony, user.passkey.get(login.options)))).toBe(
        '40113 challenge-ended',
      );
      const confirming = await freshOptions(user.token);
      expect(outcomeOf(await answer(mine, confirming.ceremony, user.passkey.get(confirming.options)))).toBe(
        '40113',
      );
      expect(outcomeOf(await app.answer(own.ceremony, user.passkey.get(own.options)))).toBe(
        '40113 challenge-ended',
      );
      expect(outcomeOf(await answer(mine, own.ceremony, user.passkey.get(own.options)))).toBe('200');
    });

    it('have options for a challenge that lives, and a user who has a passkey', async () => {
      const user = await withBoth();
      expect(outcomeOf(await optionsFor('kato_x'))).toBe('40113 challenge-ended');
      const waiting = await challenge(user, ['passkey', 'totp', 'recovery']);
      const code = { challenge: waiting, factor: 'passkey', code: '123456' };
      expect(outcomeOf(await app.call(undefined, 'POST', 'login/factor', code))).toBe('40000');
      const codes = { challenge: waiting, factor: 'totp' };
      expect(outcomeOf(await app.call(undefined, 'POST', 'login/factor/options', codes))).toBe('40000');
      const { status } = await app.call(user.token, 'DELETE', `passkeys/${user.passkeyId}`);
      expect(status).toBe(204);
      const without = await challenge(user, ['totp', 'recovery']);
      expect(outcomeOf(await optionsFor(without))).toBe('40000');
      pass(5 * MINUTE_MS);
      expect(outcomeOf(await optionsFor(waiting))).toBe('40113 challenge-ended');
    });

    it('end waiting logins when the last one is removed', async () => {
      const user = await app.registered();
      const waiting = await challenge(user, ['passkey']);
      const { ceremony, options } = (await optionsFor(waiting)).json;
      const admin = await app.adminToken();
      expect((await app.call(admin, 'DELETE', `users/${user.id}/passkeys`)).status).toBe(204);
      expect(outcomeOf(await answer(waiting, ceremony, user.passkey.get(options)))).toBe(
        '40113 challenge-ended',
      );
      expect((await app.login(user.username)).status).toBe(200);
    });

    it('alone are never followed by a code, and are what roles require', async () => {
      await app.role({ code: 'clerk' });
      const user = await withBoth();
      const { json } = await app.logIn(user.passkey);
      expect(json.token).toBeDefined();
      const clerk = await app.user({ roles: ['clerk'] });
      const token = await app.tokenOf(clerk);
      expect(await app.codeOf(token, '/v1/proof')).toBe(40303);
      const passkey = fakePasskey({ origin: ORIGIN });
      const added = await app.add(token, passkey);
      expect(await app.codeOf(added.json.token, '/v1/proof')).toBe(200);
      expect(await app.codeOf((await app.logIn(passkey)).json.token, '/v1/proof')).toBe(200);
    });

    it('confirm a login, also for routes that want everything', async () => {
      const user = await app.registered();
      const other = await app.registered();
      pass(11 * MINUTE_MS);
      expect(outcomeOf(await fresh(user.token, other.passkey))).toBe('40113');
      const none = await app.tokenOf(await app.user());
      for (const factor of ['passkey', 'totp']) {
        expect(outcomeOf(await app.call(none, 'POST', 'fresh/options', { factor }))).toBe('40000');
      }
      const old = await app.request('/v1/proof/fresh', { token: user.token });
      expect([old.json.code, old.json.missing]).toEqual([40120, ['password', 'passkey']]);
      const { status, json } = await fresh(user.token, user.passkey);
      expect(status).toBe(200);
      expect(await app.proofOf(json.token)).toMatchObject({ passkey: Math.floor(Date.now() / 1000) });
      expect(await app.codeOf(json.token, '/v1/proof/fresh')).toBe(200);
      expect(await app.codeOf(json.token, '/v1/proof/full')).toBe(200);
      expect(app.heard('login-confirmed', user)).toHaveLength(2);
      expect(await app.codeOf((await app.logIn(user.passkey)).json.token, '/v1/proof/full')).toBe(200);
    });
  });

  describe(`passkeys that are not asked for ${nameOf(place)}`, () => {
    const [app] = sharedInstances(place, (options) => new PasskeysApp({ ...options, before: [FACTORS] }));
    beforeEach(() => {
      freezeDate();
    });

    it('leave the login with a password as it is, but are offered beside codes', async () => {
      const user = await app.registered();
      expect((await app.login(user.username, PASSWORD)).status).toBe(200);
      await enrolFactor(app.nest, user.id);
      expect((await app.login(user.username)).json.factors).toEqual(['passkey', 'totp', 'recovery']);
    });

    it('are what adds another factor where a role requires one', async () => {
      await app.role({ code: 'clerk' });
      const user = await app.registered({ roles: ['clerk'] });
      const byPassword = await app.tokenOf(user, PASSWORD);
      expect(await app.codeOf(byPassword, '/v1/proof')).toBe(40303);
      for (const [method, path] of [
        ['POST', 'passkeys/options'],
        ['DELETE', `passkeys/${user.passkeyId}`],
        ['POST', 'factors/totp'],
      ] as const) {
        const { json } = await app.call(byPassword, method, path, method === 'POST' ? {} : undefined);
        expect([path, json?.code, json?.missing]).toEqual([path, 40120, ['passkey']]);
      }
      const begun = await app.call(byPassword, 'POST', 'fresh/options', { factor: 'passkey' });
      const response = user.passkey.get(begun.json.options);
      const shown = { factor: 'passkey', ceremony: begun.json.ceremony, response };
      const { json } = await app.call(byPassword, 'POST', 'fresh', shown);
      expect(await app.codeOf(json.token, '/v1/proof')).toBe(200);
      await app.add(json.token);
    });
  });
}
