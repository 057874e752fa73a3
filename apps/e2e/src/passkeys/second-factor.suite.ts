import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { type FakeAnswer, type FakePasskey, fakePasskey } from 'kit-auth-passkeys/testing';
import type { AuthUser } from 'kit-auth/typeorm';
import { type Answer, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { countsOf, MINUTE_MS, ORIGIN, outcomeOf, PasskeysApp, type PasskeyUser } from './app.js';

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
    const instance = (i: number) => [app, second][i % 2]!;
    let start = Date.now();
    let pass: (milliseconds: number) => void;
    beforeEach(() => {
      start += 20 * MINUTE_MS; // the limits count the logins of one test only
      pass = freezeDate(start);
    });
    afterEach(() => {
      jest.useRealTimers();
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

    it('and codes share five wrong answers of a login', async () => {
      const user = await withBoth();
      const waiting = await challenge(user, ['passkey', 'totp', 'recovery']);
      const outcomes: string[] = [];
      for (let i = 0; i < 3; i++) {
        outcomes.push(outcomeOf(await show(waiting, user.passkey, { flags: { uv: false } })));
        pass(10_000); // longer than the waits of the account
        const body = { challenge: waiting, factor: 'totp', code: '000000' };
        outcomes.push(outcomeOf(await app.call(undefined, 'POST', 'login/factor', body)));
      }
      expect(outcomes).toEqual([...Array.from({ length: 5 }, () => '40113'), '40113 challenge-ended']);
      expect(outcomeOf(await show(waiting, user.passkey))).toMatch(/^40000|^40113 challenge-ended/);
      expect(app.heard('factor-failed', user).map(({ detail }) => detail)).toEqual([
        'passkey',
        'totp',
        'passkey',
        'totp',
        'passkey',
      ]);
    });

    it('complete one login with one assertion, sent 20 times at once', async () => {
      const user = await app.registered();
      const waiting = await challenge(user, ['passkey']);
      const { json } = await optionsFor(waiting);
      const response = user.passkey.get(json.options);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => answer(waiting, json.ceremony, response, instance(i))),
      );
      const counts = countsOf(answers.map(outcomeOf));
      expect(counts[200] ?? 0).toBeLessThanOrEqual(1);
      expect(Object.keys(counts).every((outcome) => /^(200|40113|42900)/.test(outcome))).toBe(true);
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
      for (const wrong of ['x', 'kato_x']) {
        expect(outcomeOf(await optionsFor(wrong))).toBe('40113 challenge-ended');
      }
      const waiting = await challenge(user, ['passkey', 'totp', 'recovery']);
      const codes = { challenge: waiting, factor: 'totp' };
      expect(outcomeOf(await app.call(undefined, 'POST', 'login/factor/options', codes))).toBe('40000');
      const { status } = await app.call(user.token, 'DELETE', `passkeys/${user.passkeyId}`);
      expect(status).toBe(204);
      const without = await challenge(user, ['totp', 'recovery']);
      expect(outcomeOf(await optionsFor(without))).toBe('40000');
      pass(5 * MINUTE_MS);
      expect(outcomeOf(await optionsFor(waiting))).toBe('40113 challenge-ended');
    });

    it('have answers that can be read', async () => {
      const user = await app.registered();
      const waiting = await challenge(user, ['passkey']);
      const { ceremony, options } = (await optionsFor(waiting)).json;
      const good = user.passkey.get(options);
      for (const body of [
        { factor: 'passkey', code: '123456' },
        { factor: 'passkey', ceremony, response: { ...good, type: 'x' } },
        { factor: 'totp', ceremony, response: good },
        { factor: 'pager', ceremony, response: good },
      ]) {
        const { json, status } = await app.call(undefined, 'POST', 'login/factor', {
          challenge: waiting,
          ...body,
        });
        expect([body, status, json.code]).toEqual([body, 400, 40000]);
      }
      expect(outcomeOf(await answer(waiting, ceremony, good))).toBe('200');
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
      pass(11 * MINUTE_MS);
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

    it('confirm the login that asked for them alone', async () => {
      const [user, other] = [await app.registered(), await app.registered()];
      const shown = async (token: string, ceremony: string, response: unknown) =>
        outcomeOf(await app.call(token, 'POST', 'fresh', { factor: 'passkey', ceremony, response }));
      const own = await freshOptions(user.token);
      expect(await shown(user.token, own.ceremony, other.passkey.get(own.options))).toBe('40113');
      const foreign = await freshOptions(other.token);
      expect(await shown(user.token, foreign.ceremony, user.passkey.get(foreign.options))).toBe('40113');
      if (place.tokens !== 'jwt') {
        const elsewhere = (await app.logIn(user.passkey)).json.token;
        expect(await shown(elsewhere, own.ceremony, user.passkey.get(own.options))).toBe('40113');
      }
      const login = await app.begun();
      expect(await shown(user.token, login.ceremony, user.passkey.get(login.options))).toBe(
        '40113 challenge-ended',
      );
      const response = user.passkey.get(own.options);
      expect(await shown(user.token, own.ceremony, response)).toBe('200');
    });

    it('confirm nothing that is refused, and no user without a passkey', async () => {
      const user = await app.registered();
      expect(outcomeOf(await fresh(user.token, user.passkey, { flags: { uv: false } }))).toBe('40113');
      const none = await app.tokenOf(await app.user());
      for (const factor of ['passkey', 'totp']) {
        expect(outcomeOf(await app.call(none, 'POST', 'fresh/options', { factor }))).toBe('40000');
      }
    });
  });

  describe(`passkeys that are not asked for ${nameOf(place)}`, () => {
    const [app] = sharedInstances(place, (options) => new PasskeysApp({ ...options, before: [FACTORS] }));
    beforeEach(() => {
      freezeDate();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('leave the login with a password as it is', async () => {
      const user = await app.registered();
      expect((await app.login(user.username, PASSWORD)).status).toBe(200);
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

    it('are offered beside the codes of an authenticator app', async () => {
      const user = await app.registered();
      await enrolFactor(app.nest, user.id);
      const { json } = await app.login(user.username);
      expect(json.factors).toEqual(['passkey', 'totp', 'recovery']);
    });
  });
}
