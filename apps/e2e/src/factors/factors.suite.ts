import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthOneTime, OneTimeTokens } from 'kit-auth/store';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { atOnce, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { codeOf, type EnrolledUser, FactorsApp, outcomeOf, STEP_MS, wrongCodeOf } from './app.js';

const NEW_PASSWORD = 'another fine one 4712';
/** The longest wait of the account's budget. */
const WAIT_MS = 900_000;
const ENDED = '40113 challenge-ended';

/** That one code opened the login, and no request failed. */
function expectOne(outcomes: readonly string[]) {
  expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
  const others = /^(200|40113|40113 challenge-ended|42900)$/;
  expect(outcomes.filter((outcome) => !others.test(outcome))).toEqual([]);
}

/** The second step of a login, with two instances on one database. */
export function describeFactorLogin(place: Place): void {
  describe(`a login with a second factor ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(place, (options) => new FactorsApp(options));
    let pass: (milliseconds: number) => void;
    let user: EnrolledUser;
    beforeEach(async () => {
      pass = freezeDate();
      user = await app.enrolled();
      pass(STEP_MS);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const seconds = () => Math.floor(Date.now() / 1000);
    const instance = (i: number) => [app, second][i % 2]!;
    const rowOf = ({ id }: { id: number }) =>
      app.rowsOf(AuthOneTime).findOneByOrFail({ userId: String(id), purpose: 'login-challenge' });
    const lastLoginOf = async ({ id }: AuthUser) => (await app.users.findOneByOrFail({ id })).lastLoginAt;

    it('answers a right password with a challenge, and with nothing else', async () => {
      await app.users.update({ id: user.id }, { lastLoginAt: null });
      const events = app.eventsOf(user).length;
      const answer = await app.login(user.username);
      expect([answer.status, answer.json, answer.headers['cache-control']]).toEqual([
        401,
        expect.objectContaining({
          code: 40112,
          challenge: expect.stringMatching(/^kato_/),
          factors: ['totp', 'recovery'],
          expiresAt: seconds() + 300,
        }),
        'no-store',
      ]);
      expect([answer.cookies, await lastLoginOf(user)]).toEqual([[], null]);
      expect(app.eventsOf(user).slice(events)).not.toContain('login');
      const [wrong, ofNobody] = [await app.login(user.username, 'wrong'), await app.login('nobody', 'wrong')];
      expect([wrong.status, wrong.text]).toEqual([401, ofNobody.text]);
    });

    it('answers the code as a login without a factor, on any instance', async () => {
      const plain = await app.user();
      const usual = await app.login(plain.username);
      await app.users.update({ id: user.id }, { lastLoginAt: null });
      const at = seconds();
      const challenge = await app.challenge(user);
      pass(20_000);
      const answer = await second.answer(challenge, codeOf(user.device));
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(Object.keys(answer.json).sort()).toEqual(Object.keys(usual.json).sort());
      const { id: userId, username } = user;
      expect(answer.json.user).toEqual({ userId, username, nickname: username, superAdmin: false });
      expect(await app.proofOf(answer.json.token)).toEqual({ password: at, totp: at + 20 });
      expect((await lastLoginOf(user))?.getTime()).toBe(Date.now());
      expect(second.eventsOf(user)).toEqual(['login']);
      expect((await app.request('/v1/proof/full', { token: answer.json.token })).status).toBe(200);
    });

    it('takes a code once: in sequence, in two challenges, on two instances', async () => {
      const challenges = [await app.challenge(user), await second.challenge(user)];
      const code = codeOf(user.device);
      expect(await app.outcomeOf(challenges[0], code)).toBe('200');
      expect(await app.outcomeOf(challenges[0], code)).toBe(ENDED);
      expect(await second.outcomeOf(challenges[1], code)).toBe('40113');
      expect(await app.outcomeOfLogin(user, code)).toBe('40113');
      pass(STEP_MS);
      expect(await second.outcomeOf(challenges[1], code)).toBe('40113');
      expect(await second.outcomeOf(challenges[1], codeOf(user.device))).toBe('200');
    });

    it('takes no code again when the clock goes back', async () => {
      pass(-STEP_MS);
      expect(await app.outcomeOfLogin(user, codeOf(user.device))).toBe('40113');
      expect(await second.outcomeOfLogin(user, codeOf(user.device, 1))).toBe('200');
    });

    it('takes one of fifty equal codes at once', async () => {
      const challenge = await app.challenge(user);
      const outcomes = await atOnce([app, second], 50, (i) =>
        instance(i).outcomeOf(challenge, codeOf(user.device)),
      );
      expectOne(outcomes);
    });

    it('refuses what is no code, and other factors', async () => {
      const challenge = await app.challenge(user);
      const code = codeOf(user.device);
      for (const [wrong, factor] of [
        [123456, 'totp'],
        [code, '__proto__'],
        [code, 'password'],
      ] as const) {
        expect(await app.outcomeOf(challenge, wrong, factor)).toBe('40000');
      }
      expect(await app.outcomeOf(challenge, code)).toBe('200');
    });

    it('answers wrong, used and foreign codes with the same bytes', async () => {
      const [other, used] = [await app.enrolled(), codeOf(user.device)];
      expect(await app.outcomeOfLogin(user, used)).toBe('200');
      const challenge = await app.challenge(user);
      const answers = [];
      for (const code of [wrongCodeOf(user.device), used, codeOf(other.device, 1), 'abcdef']) {
        answers.push(await app.answer(challenge, code));
      }
      answers.push(await app.answer(challenge, other.recoveryCodes[0], 'recovery'));
      expect(outcomeOf(answers[0]!)).toBe('40113');
      const seen = answers.map(({ status, text, lines }) =>
        [status, text, ...lines.filter((line) => !/^(date|x-)/i.test(line))].join('\n'),
      );
      expect(new Set(seen).size).toBe(1);
      expect(await app.outcomeOfLogin(other, codeOf(other.device, 1))).toBe('200');
    });

    it('ends a challenge with the fifth attempt, whatever comes after', async () => {
      const challenge = await app.challenge(user);
      for (let i = 0; i < 5; i++) {
        expect(await instance(i).outcomeOf(challenge, wrongCodeOf(user.device))).toBe('40113');
      }
      pass(WAIT_MS / 10);
      expect(await app.outcomeOf(challenge, codeOf(user.device))).toBe(ENDED);
      expect(await second.outcomeOf(challenge, user.recoveryCodes[0], 'recovery')).toBe(ENDED);
      expect(await second.outcomeOfLogin(user, codeOf(user.device))).toBe('200');
    });

    it('ends a challenge after five minutes', async () => {
      const [early, late] = [await app.challenge(user), await app.challenge(user)];
      pass(299_000);
      expect(await second.outcomeOf(early, codeOf(user.device))).toBe('200');
      pass(STEP_MS);
      expect(await app.outcomeOf(late, codeOf(user.device))).toBe(ENDED);
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'the password was changed',
        () =>
          app.call(user.token, 'POST', 'password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
      ],
      [
        'the user was disabled without the stamp',
        () => app.users.update({ id: user.id }, { status: AuthUserStatus.DISABLED }),
      ],
      ['the last factor was removed', () => app.call(user.token, 'DELETE', `factors/${user.device.id}`)],
      [
        'an administrator removed the factors',
        async () => app.call(await app.adminToken(), 'DELETE', `users/${user.id}/factors`),
      ],
    ])('ends a challenge once %s', async (_what, change) => {
      const challenge = await app.challenge(user);
      const answer = (await change()) as { status?: number } | undefined;
      expect([200, 204, undefined]).toContain(answer?.status);
      expect(await second.outcomeOf(challenge, codeOf(user.device))).toBe(ENDED);
      expect(await second.outcomeOf(challenge, user.recoveryCodes[0], 'recovery')).toBe(ENDED);
    });

    it('lets nobody in whose user changes while the code is verified', async () => {
      const tokens = app.get(OneTimeTokens);
      const claim = tokens.claim.bind(tokens);
      jest.spyOn(tokens, 'claim').mockImplementationOnce(async (...args) => {
        await claim(...args);
        await app.users.update({ id: user.id }, { securityStamp: 'another' });
      });
      const events = app.eventsOf(user).length;
      expect(await app.outcomeOfLogin(user, codeOf(user.device))).toBe(ENDED);
      // Nothing of a login has begun: that would make a known device, and end as login-failed.
      expect(app.eventsOf(user).slice(events)).toEqual([]);
    });

    it('takes a recovery code once, however it is typed', async () => {
      const [first, another] = user.recoveryCodes as [string, string];
      expect(await app.outcomeOfLogin(user, first, 'recovery')).toBe('200');
      expect(await second.outcomeOfLogin(user, first, 'recovery')).toBe('40113');
      const typed = ` ${another.toLowerCase().replaceAll('-', ' ')} `;
      expect(await second.outcomeOfLogin(user, typed, 'recovery')).toBe('200');
      expect(await app.factorsOf(user.token)).toEqual({ names: ['Phone'], recoveryCodesLeft: 8 });
      expect(await app.outcomeOfLogin(user, user.recoveryCodes[3], 'totp')).toBe('40113');
      expect(await app.outcomeOfLogin(user, codeOf(user.device), 'recovery')).toBe('40113');
    });

    it('takes one of twenty equal recovery codes at once', async () => {
      const challenges: string[] = [];
      for (let i = 0; i < 4; i++) {
        challenges.push(await app.challenge(user));
      }
      const outcomes = await atOnce([app, second], 20, (i) =>
        instance(i).outcomeOf(challenges[i % 4], user.recoveryCodes[0], 'recovery'),
      );
      expectOne(outcomes);
      expect((await app.rowsAbout(user)).recoveryCodes).toBe(9);
    });

    it('is never fresh by a recovery code', async () => {
      const { json } = await app.answer(await app.challenge(user), user.recoveryCodes[0], 'recovery');
      const { token } = json as { token: string };
      expect(Object.keys(await app.proofOf(token)).sort()).toEqual(['password', 'recovery']);
      pass(11 * 60_000);
      const { json: later } = await app.answer(await app.challenge(user), user.recoveryCodes[1], 'recovery');
      expect(await app.codeOf(later.token, '/v1/proof/full')).toBe(40120);
      expect((await app.fresh(later.token, user.recoveryCodes[2], 'recovery')).json.code).toBe(40000);
      expect((await app.rowsAbout(user)).recoveryCodes).toBe(8);
      expect(await app.codeOf(token, '/v1/proof/fresh')).toBe(40120);
    });

    it('goes on with POST fresh and a code, as with the password', async () => {
      pass(11 * 60_000);
      expect(await app.codeOf(user.token, '/v1/proof/fresh')).toBe(40120);
      expect(outcomeOf(await app.fresh(user.token, wrongCodeOf(user.device)))).toBe('40113');
      const answer = await second.fresh(user.token, codeOf(user.device));
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      const { token } = answer.json;
      expect(await app.codeOf(token, '/v1/proof/fresh')).toBe(200);
      const proof = await app.proofOf(token);
      expect(proof).toMatchObject({ totp: seconds(), password: expect.any(Number) });
      expect(proof['password']).toBeLessThan(seconds() - 600);
      expect(second.eventsOf(user)).toContain('login-confirmed');
    });

    it('asks for a factor once it is confirmed, and lets earlier tokens be, with the proof that they have', async () => {
      const plain = await app.user();
      const [before, enrolling] = [await app.tokenOf(plain), await app.tokenOf(plain)];
      const at = await app.proofOf(before);
      const pending = await app.pending(enrolling);
      expect((await app.login(plain.username)).status).toBe(200);
      const { token, device } = await app.enrol(enrolling);
      expect(outcomeOf(await app.fresh(before, codeOf(pending)))).toBe('40113');
      expect(await app.proofOf(before)).toEqual(at);
      expect(await app.codeOf(before, '/v1/proof/fresh')).toBe(200);
      const { json } = await app.request('/v1/proof/full', { token: before });
      expect([json.code, json.missing]).toEqual([40120, ['totp']]);
      expect(await app.codeOf(token, '/v1/proof/full')).toBe(200);
      pass(STEP_MS);
      const { json: fresh } = await app.fresh(before, codeOf(device));
      expect(await app.codeOf(fresh.token, '/v1/proof/full')).toBe(200);
    });

    it('takes no attempt away while the tables are away', async () => {
      const challenge = await app.challenge(user);
      const rows = app.rowsOf(AuthOneTime);
      const away = async (table: string, work: () => Promise<void>) => {
        await rows.query(`ALTER TABLE ${table} RENAME TO away`);
        await work().finally(() => rows.query(`ALTER TABLE away RENAME TO ${table}`));
      };
      const refuses = async (code: unknown, factor?: string) =>
        expect(await app.outcomeOf(challenge, code, factor)).toBe('50300');
      await away('auth_totp', async () => {
        await refuses(codeOf(user.device));
        expect((await app.login(user.username)).json.code).toBe(50300);
      });
      await away('auth_recovery_code', () => refuses(user.recoveryCodes[0], 'recovery'));
      await away('auth_one_time', () => refuses(codeOf(user.device)));
      expect((await rowOf(user)).attempts).toBe(0);
      expect(await app.outcomeOf(challenge, codeOf(user.device))).toBe('200');
    });

    it('tells of each use and each failure', async () => {
      const [before] = [app.eventsOf(user).length];
      await app.outcomeOfLogin(user, wrongCodeOf(user.device));
      await app.outcomeOfLogin(user, codeOf(user.device));
      await app.outcomeOfLogin(user, user.recoveryCodes[0], 'recovery');
      expect(app.eventsOf(user).slice(before)).toEqual(['factor-failed', 'login', 'recovery-used', 'login']);
      const [failed] = app.heard('factor-failed').slice(-1);
      expect(failed).toMatchObject({ success: false, subject: user.username, address: '127.0.0.1' });
    });
  });
}
