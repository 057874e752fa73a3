import { beforeEach, describe, expect, it } from '@jest/globals';
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
      // One at once, and another at the end of the minute: strangers know the ids of passkeys.
      expect(app.heard('factor-failed', user).map(({ detail, subject }) => [detail, subject])).toEqual([
        ['passkey', user.username],
      ]);
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
      expect(await app.row(passkey)).toMatchObject({ counter: 6, backedUp: false });
    });

    it('log in with a ceremony of a login alone, which an unreadable answer leaves as it is', async () => {
      const { passkey, token } = await app.registered();
      const creation = await app.creation(token);
      expect(outcomeOf(await app.answer(creation.ceremony, passkey.get(creation.options)))).toBe(
        '40113 challenge-ended',
      );
      const { ceremony, options } = await app.begun();
      const good = passkey.get(options);
      expect(outcomeOf(await app.answer(ceremony, { ...good, id: 'a+b/' }))).toBe('40000');
      expect(outcomeOf(await app.answer('\u0000', good))).toBe('40113 challenge-ended');
      expect(outcomeOf(await app.answer(ceremony, { ...good, id: 'AAAA', rawId: good.id }))).toBe('40113');
      expect(outcomeOf(await app.answer(ceremony, good))).toBe('200');
      const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712' };
      expect((await app.call(token, 'POST', 'password', body)).status).toBe(204);
      expect(await app.outcomeOfLogin(passkey)).toBe('200');
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
  });
}
