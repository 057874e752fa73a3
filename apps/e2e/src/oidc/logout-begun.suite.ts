import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import type { SignUp, SignUpPolicy } from 'kit-auth-oidc';
import { AuthIdentityLogin } from 'kit-auth-oidc/typeorm';
import { type Answer, freezeDate, nameOf, type Place, sharedInstances } from 'test-support';
import { APP_URL, FAKE, MINUTE_MS, newVerifier, OidcApp, TestBrowser } from './app.js';

/** The default of `kit.auth.refresh.checkSeconds`. */
const CHECK_MS = 5000;
const FACTORS = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });
const ENDED = { code: 40114, reason: 'state' };

@Injectable()
class Everybody implements SignUpPolicy {
  decide(): SignUp {
    return {};
  }
}

/** Logins that have begun when their provider logs the user out, with two instances on one database. */
export function describeBegunLogouts(place: Place): void {
  describe(`a login that has begun before a back-channel logout ${nameOf(place)}`, () => {
    const rounds = place.database === 'sqlite' ? 4 : 20;
    let onLogin: () => Promise<unknown> = () => Promise.resolve();
    const [app, second] = sharedInstances(
      place,
      (options) =>
        new OidcApp({
          ...options,
          imports: [...options.imports, KitAuthBrowserModule, FACTORS],
          providers: [Everybody],
          oidc: {
            signUp: Everybody,
            onLogin: async () => {
              await onLogin();
            },
          },
        }),
    );
    let number = 0;
    let sub: string;
    let sid: string;
    let pass: (milliseconds: number) => void;
    let start = Date.now();
    beforeEach(() => {
      pass = freezeDate((start += 10 * MINUTE_MS));
      onLogin = () => Promise.resolve();
      sub = `sub-${++number}`;
      sid = `sid-${number}`;
    });

    /** Gives the user of the next login a second factor. @returns its secret */
    const enrolled = async () => (await app.enrol(await app.linked(sub))).secret;

    /** Comes back from the provider. */
    const comeBack = (browser = new TestBrowser(app), query?: Record<string, string>) =>
      browser.logInAs({ sub, sid, email: `${sub}@example.com` }, 'test', query);

    /** Logs in as an app does. @returns what it exchanges */
    async function codeOf(): Promise<{ code: string; verifier: string }> {
      const { verifier, challenge } = newVerifier();
      const { code = '' } = await comeBack(new TestBrowser(app), { returnTo: APP_URL, challenge });
      return { code, verifier };
    }

    let address = 0;
    async function logOut(which: { sub?: string; sid?: string }): Promise<void> {
      // The limit counts by network.
      const answer = await second.sendLogout(FAKE.logoutToken(which), 'test', `10.9.0.${++address % 250}`);
      expect([answer.status, answer.text]).toEqual([200, '{}']);
    }

    const sessionsOf = (token: string) => app.call(token, 'GET', 'sessions');

    /** What completes a login that has begun. */
    type Completion = () => Promise<Answer>;
    const ways: [string, () => Promise<Completion>][] = [
      [
        'the second factor',
        async () => {
          const secret = await enrolled();
          const { challenge } = await comeBack();
          return () => app.showTotp(challenge, secret);
        },
      ],
      [
        'the app',
        async () => {
          await app.linked(sub);
          const exchanged = await codeOf();
          return () => app.exchange(undefined, exchanged);
        },
      ],
      [
        'the second factor in an app',
        async () => {
          const secret = await enrolled();
          const { challenge } = (await app.exchange(undefined, await codeOf())).json;
          return () => app.showTotp(challenge, secret);
        },
      ],
      [
        'the sign-up',
        async () => {
          const browser = new TestBrowser(app);
          const { token } = await comeBack(browser);
          return () => browser.post('oidc/complete', { token });
        },
      ],
    ];

    it.each(ways)('ends while it waits for %s', async (_, begin) => {
      const complete = await begin();
      pass(1000);
      await logOut({ sid });
      pass(20_000);
      const accounts = await app.users.count();
      const { status, json } = await complete();
      expect(await app.users.count()).toBe(accounts);
      expect({ status, ...json }).toMatchObject({ status: 401, ...ENDED });
      expect(await app.rowsOf(AuthIdentityLogin).countBy({ subject: sub })).toBe(0);
    });

    it.each(ways)('waits for %s, and survives logouts of others, and earlier ones', async (_, begin) => {
      await logOut({ sub });
      pass(1);
      const complete = await begin();
      await logOut({ sid, sub: 'another' });
      expect((await complete()).status).toBe(200);
    });

    it('ends with a logout between the answer of the provider and the login', async () => {
      await app.linked(sub);
      onLogin = () => logOut({ sid });
      const browser = new TestBrowser(app);
      expect(await comeBack(browser)).toMatchObject({ 'kit-auth': '40114', reason: 'state' });
      expect((await browser.get('api/auth/sessions')).status).toBe(401);
    });

    it('is never left open when both come at once', async () => {
      await app.linked(sub);
      for (let round = 0; round < rounds; round++) {
        pass(MINUTE_MS);
        const exchanged = await codeOf();
        const [{ status, json }] = await Promise.all([
          app.exchange(undefined, exchanged),
          logOut(round % 2 === 0 ? { sid } : { sub }),
        ]);
        pass(CHECK_MS); // a login that was complete first has ended on the other instance
        expect(status === 200 ? (await sessionsOf(json.token)).status : status).toBe(401);
      }
    });
  });
}
