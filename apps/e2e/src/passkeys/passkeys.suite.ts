import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { atOnce, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { countsOf, MINUTE_MS, ORIGIN, outcomeOf, PasskeysApp } from './app.js';

/** Logins with passkeys, with two instances on one database. */
export function describePasskeys(place: Place): void {
  describe(`passkeys ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(place, (options) => new PasskeysApp(options));
    const instance = (i: number) => [app, second][i % 2]!;
    let start = Date.now();
    let pass: (milliseconds: number) => void;
    beforeEach(() => {
      start += 10 * MINUTE_MS; // the limits count the logins of one test only
      pass = freezeDate(start);
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('log in without a password', async () => {
      const user = await app.registered();
      const options = await app.call(undefined, 'POST', 'login/passkey/options', {});
      expect([options.status, options.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(options.json).toEqual({
        ceremony: expect.stringMatching(/^kato_/),
        expiresAt: Math.floor(Date.now() / 1000) + 300,
        options: {
          rpId: 'example.com',
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          allowCredentials: [],
          timeout: 300_000,
          userVerification: 'required',
        },
      });
      const response = user.passkey.get(options.json.options);
      const { status, headers, json } = await second.answer(options.json.ceremony, response);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(json.user).toMatchObject({ userId: user.id, username: user.username });
      expect(await app.proofOf(json.token)).toEqual({ passkey: Math.floor(Date.now() / 1000) });
      const [listed] = (await app.call(json.token, 'GET', 'passkeys')).json;
      expect(listed.lastUsedAt).toBe(new Date().toISOString());
      expect(app.heard('login', user).length + second.heard('login', user).length).toBe(2);
    });

    it.each(['single', 'multi'] as const)(
      'of a %s device log in once with one assertion, sent 20 times at once',
      async (deviceType) => {
        const { passkey } = await app.registered({}, { deviceType });
        const { ceremony, options } = await app.begun();
        const response = passkey.get(options);
        const answers = await atOnce([app, second], 20, (i) => instance(i).answer(ceremony, response));
        const { 200: logins, ...rest } = countsOf(answers.map(outcomeOf));
        expect(logins).toBe(1);
        expect(Object.keys(rest).every((outcome) => /^40113/.test(outcome))).toBe(true);
        expect(outcomeOf(await app.answer(ceremony, response))).toBe('40113 challenge-ended');
        pass(MINUTE_MS + 1);
        expect(await app.outcomeOfLogin(passkey)).toBe('200');
      },
    );

    it('log in with any of several ceremonies', async () => {
      const { passkey } = await app.registered();
      const [first, other] = [await app.begun(), await second.begun()];
      expect(outcomeOf(await app.answer(first.ceremony, passkey.get(other.options)))).toBe('40113');
      expect(outcomeOf(await app.answer(other.ceremony, passkey.get(other.options)))).toBe('200');
      expect(outcomeOf(await app.answer(first.ceremony, passkey.get(first.options)))).toBe('200');
    });

    it('log in within five minutes', async () => {
      const { passkey } = await app.registered();
      const [early, late] = [await app.begun(), await app.begun()];
      pass(5 * MINUTE_MS - 1000);
      expect(outcomeOf(await app.answer(early.ceremony, passkey.get(early.options)))).toBe('200');
      pass(1000);
      expect(outcomeOf(await app.answer(late.ceremony, passkey.get(late.options)))).toBe(
        '40113 challenge-ended',
      );
    });

    it('do not log in with a ceremony of a registration, and the reverse', async () => {
      const { passkey, token } = await app.registered();
      const creation = await app.creation(token);
      const login = await app.begun();
      const { challenge } = creation.options as { challenge: string };
      expect(outcomeOf(await app.answer(creation.ceremony, passkey.get({ challenge })))).toBe(
        '40113 challenge-ended',
      );
      const other = fakePasskey({ origin: ORIGIN });
      const response = other.create({ ...(creation.options as object), ...login.options } as never);
      const body = { ceremony: login.ceremony, response };
      expect(outcomeOf(await app.call(token, 'POST', 'passkeys', body))).toBe('40113 challenge-ended');
    });

    it('give the same answer for everything that is wrong', async () => {
      const user = await app.registered();
      const other = await app.registered();
      const stranger = fakePasskey({ origin: ORIGIN });
      const handle = user.passkey.get({ challenge: 'AAAA' }).response.userHandle!;
      stranger.create({ challenge: 'AAAA', rp: { id: 'example.com' }, user: { id: handle } } as never);
      const { passkey } = user;
      const wrong = await Promise.all([
        app.logIn(stranger),
        app.logIn(passkey, { userHandle: null }),
        app.logIn(passkey, { userHandle: other.passkey.get({ challenge: 'AAAA' }).response.userHandle! }),
        app.logIn(passkey, { origin: 'https://example.com' }),
        app.logIn(passkey, { flags: { be: false, bs: false } }),
        app.begun().then(({ ceremony, options }) => {
          const { response, ...rest } = passkey.get(options);
          const { signature } = other.passkey.get(options).response;
          return app.answer(ceremony, { ...rest, response: { ...response, signature } });
        }),
      ]);
      const bodies = wrong.map(({ status, text, headers: { date, ...headers } }) => ({
        status,
        text,
        headers,
      }));
      bodies.forEach((body) => expect(body).toEqual(bodies[0]));
      expect(outcomeOf(wrong[0])).toBe('40113');
      expect(await app.outcomeOfLogin(passkey)).toBe('200');
      expect(app.heard('factor-failed', user).map(({ detail, subject }) => [detail, subject])).toEqual(
        Array.from({ length: wrong.length - 1 }, () => ['passkey', user.username]),
      );
    });

    it('of a single device must count up, and tell of it when they do not', async () => {
      const user = await app.registered({}, { deviceType: 'single', counter: 4 });
      const { passkey } = user;
      expect(await app.outcomeOfLogin(passkey, { counter: 5 })).toBe('200');
      expect(await second.outcomeOfLogin(passkey, { counter: 5 })).toBe('40113');
      expect(second.heard('passkey-counter', user)).toMatchObject([
        { subject: user.username, success: false, detail: user.passkeyId },
      ]);
      expect(await app.outcomeOfLogin(passkey, { counter: 6 })).toBe('200');
      expect((await app.row(passkey)).counter).toBe(6);
    });

    it('may lose their backup, which is an event the first time', async () => {
      const user = await app.registered();
      const bs = (value: boolean) => app.outcomeOfLogin(user.passkey, { flags: { bs: value } });
      expect([await bs(false), await bs(false)]).toEqual(['200', '200']);
      expect(app.heard('passkey-changed', user)).toHaveLength(1);
      expect((await app.row(user.passkey)).backedUp).toBe(false);
    });

    it('of a disabled user: 40111, and of a deleted one: 40113', async () => {
      const [disabled, deleted] = [await app.registered(), await app.registered()];
      const begun = await app.begun();
      await app.users.update({ id: disabled.id }, { status: AuthUserStatus.DISABLED });
      const response = disabled.passkey.get(begun.options);
      expect(outcomeOf(await app.answer(begun.ceremony, response))).toBe('40111');
      const admin = await app.adminToken();
      expect((await app.call(admin, 'DELETE', `users/${deleted.id}`)).status).toBe(204);
      expect(await app.outcomeOfLogin(deleted.passkey)).toBe('40113');
      expect(await app.countOf(deleted)).toBe(0);
    });

    it('survive a new password', async () => {
      const user = await app.registered();
      const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712' };
      expect((await app.call(user.token, 'POST', 'password', body)).status).toBe(204);
      expect(await app.outcomeOfLogin(user.passkey)).toBe('200');
    });

    it('have answers that cannot be read: 40000, and the ceremony stays', async () => {
      const { passkey } = await app.registered();
      const { ceremony, options } = await app.begun();
      const good = passkey.get(options);
      for (const response of [null, { ...good, id: 'a+b/' }, { ...good, padding: 'x'.repeat(16 * 1024) }]) {
        expect(outcomeOf(await app.answer(ceremony, response))).toBe('40000');
      }
      for (const other of [7, 'x'.repeat(2000)]) {
        expect(outcomeOf(await app.answer(other, good))).toBe('40000');
      }
      for (const other of ['x', 'kato_', ceremony.slice(0, -1), '\u0000', '\ud800']) {
        expect(outcomeOf(await app.answer(other, good))).toBe('40113 challenge-ended');
      }
      for (const [id, rawId] of [
        ['AAAA', good.id],
        [good.id, 'AAAA'],
      ]) {
        expect(outcomeOf(await app.answer(ceremony, { ...good, id, rawId }))).toBe('40113');
      }
      expect(outcomeOf(await app.answer(ceremony, good))).toBe('200');
    });
  });
}
