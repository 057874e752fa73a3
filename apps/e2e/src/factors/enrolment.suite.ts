import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthRecoveryCode, AuthTotp } from 'kit-auth-factors/typeorm';
import { type AuthUser, AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { atOnce, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import {
  codeOf,
  countsOf,
  type Device,
  type EnrolledUser,
  FactorsApp,
  outcomeOf,
  STEP_MS,
  wrongCodeOf,
} from './app.js';

const RECOVERY_CODE = /^(?:[0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}$/;
const MINUTE_MS = 60_000;

/** How users add, list and remove factors, with two instances on one database. */
export function describeEnrolment(place: Place): void {
  describe(`second factors ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(place, (options) => new FactorsApp(options));
    let admin: string;
    let pass: (milliseconds: number) => void;
    let plain: AuthUser;
    let token: string;
    beforeAll(async () => {
      await app.role({ code: 'factors-admin', permissions: ['auth:user:*'] });
    });
    beforeEach(async () => {
      pass = freezeDate();
      admin = await app.adminToken();
      plain = await app.user();
      token = await app.tokenOf(plain);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    /** Both are in this process, where the last one keeps all lines. */
    const logged = () => [app, second].flatMap(({ logs }) => logs.lines).map(({ text }) => text);
    const instance = (i: number) => [app, second][i % 2]!;
    const call = (method: string, path: string, json?: object, as: string | undefined = token) =>
      app.call(as, method, path, json);
    const statusOf = async (...args: Parameters<typeof call>) => outcomeOf(await call(...args));
    /** Ended tokens are refused, where an implementation can end them. */
    const over = place.tokens === 'jwt' ? 'live' : expect.stringMatching(/^40101/);

    it('are added with a secret and recovery codes that are shown once, and in no table', async () => {
      const answer = await call('POST', 'factors/totp', { name: 'My Phone' });
      expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      const { id, secret, uri } = answer.json as Device & { uri: string };
      expect(Object.keys(answer.json).sort()).toEqual(['id', 'secret', 'uri']);
      expect(secret).toMatch(/^[A-Z2-7]{32}$/); // 20 bytes
      expect(uri).toContain(`otpauth://totp/Example:${plain.username}?secret=${secret}&issuer=Example`);
      expect((await call('GET', 'factors')).json).toEqual({ factors: [], recoveryCodesLeft: 0 });
      const { status, json, headers } = await app.confirm(token, { id, secret }, codeOf({ secret }));
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(json.recoveryCodes).toHaveLength(10);
      expect(new Set(json.recoveryCodes).size).toBe(10);
      expect(json.recoveryCodes.filter((code: string) => !RECOVERY_CODE.test(code))).toEqual([]);
      expect(Object.keys(await app.proofOf(json.token)).sort()).toEqual(['password', 'totp']);
      expect(json.user).toMatchObject({ userId: plain.id, username: plain.username });
      // Only sessions can end a token before its time.
      expect(await app.stateOf(token)).toBe(place.tokens.endsWith('sessions') ? '40101 replaced' : 'live');
      expect((await call('GET', 'factors', undefined, json.token)).text).not.toContain(secret);
      expect(await app.factorsOf(json.token)).toEqual({ names: ['My Phone'], recoveryCodesLeft: 10 });
      expect(app.eventsOf(plain)).toEqual(expect.arrayContaining(['factor-added', 'login-confirmed']));
      const rows = [await app.rowsOf(AuthTotp).find(), await app.rowsOf(AuthRecoveryCode).find()];
      for (const shown of [secret, ...json.recoveryCodes, json.recoveryCodes[0].replaceAll('-', '')]) {
        expect(JSON.stringify(rows)).not.toContain(shown);
      }
    });

    it('are not those that were begun with the password alone, after the first one', async () => {
      const thief = await app.tokenOf(plain);
      const begun = await app.pending(thief);
      await app.enrol(token);
      pass(STEP_MS);
      expect(outcomeOf(await app.confirm(thief, begun, codeOf(begun)))).toBe('40400');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
    });

    it('need a fresh login', async () => {
      const { device, token: next } = await app.enrol(token);
      pass(11 * MINUTE_MS);
      admin = await app.adminToken();
      pass(11 * MINUTE_MS);
      for (const [method, path, json] of [
        ['POST', 'factors/totp', { name: 'Phone' }],
        ['POST', 'factors/recovery', undefined],
        ['DELETE', `factors/${device.id}`, undefined],
      ] as const) {
        expect(await statusOf(method, path, json, next)).toMatch(/^40120/);
      }
      expect(await statusOf('DELETE', `users/${plain.id}/factors`, undefined, admin)).toMatch(/^40120/);
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
    });

    it('are confirmed with a code of their own device, within ten minutes', async () => {
      const [one, other] = [await app.pending(token), await app.pending(token)];
      expect(outcomeOf(await app.confirm(token, one, wrongCodeOf(one)))).toBe('40113');
      expect(outcomeOf(await app.confirm(token, one, codeOf(other)))).toBe('40113');
      const stranger = await app.tokenOf(await app.user());
      expect(outcomeOf(await app.confirm(stranger, one, codeOf(one)))).toBe('40400');
      expect(await statusOf('POST', 'factors/totp', { name: 'a\u0000b' })).toBe('40000');
      expect(outcomeOf(await app.confirm(token, one, 123456))).toBe('40000');
      pass(10 * MINUTE_MS - 1000);
      const confirmed = await second.confirm(token, one, codeOf(one));
      expect(confirmed.status).toBe(200);
      expect(outcomeOf(await app.confirm(confirmed.json.token, one, codeOf(one)))).toBe('40400');
      pass(2000);
      expect(outcomeOf(await app.confirm(confirmed.json.token, other, codeOf(other)))).toBe('40400');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
    });

    it.each([true, false])('end the other sessions at confirmation with endOthers: %s', async (endOthers) => {
      const other = await second.tokenOf(plain);
      const device = await app.pending(token);
      const junk = await app.confirm(token, device, codeOf(device), { endOthers: 'true' });
      expect(outcomeOf(junk)).toBe('40000');
      const answer = await app.confirm(token, device, codeOf(device), { endOthers });
      if (endOthers && place.tokens === 'jwt') {
        expect([outcomeOf(answer), await app.rowsAbout(plain)]).toEqual([
          '50100',
          { devices: 0, recoveryCodes: 0 },
        ]);
        return;
      }
      expect(await app.stateOf(answer.json.token)).toBe('live');
      expect(await app.stateOf(other)).toEqual(endOthers ? over : 'live');
    });

    it('are at most five, also in a race of the fifth and the sixth', async () => {
      const first = await app.enrol(token);
      let latest = first.token;
      for (let count = 1; count < 4; count++) {
        latest = (await app.enrol(latest)).token;
      }
      const pending = [await app.pending(latest), await app.pending(latest), await app.pending(latest)];
      const outcomes = await atOnce([app, second], pending.length, async (i) =>
        outcomeOf(await instance(i).confirm(latest, pending[i]!, codeOf(pending[i]!))),
      );
      expect(await app.rowsAbout(plain)).toEqual({ devices: 5, recoveryCodes: 10 });
      expect(outcomes.filter((outcome) => /^5/.test(outcome))).toEqual([]);
      pass(STEP_MS);
      const { json } = await app.answer(await app.challenge(plain), codeOf(first.device));
      expect(await statusOf('POST', 'factors/totp', { name: 'Sixth' }, json.token)).toBe('40900');
    });

    it('have one set of recovery codes, however many are the first at once', async () => {
      const pending: Awaited<ReturnType<typeof app.pending>>[] = [];
      for (let i = 0; i < 4; i++) {
        pending.push(await app.pending(token));
      }
      const tokens = [token];
      while (tokens.length < pending.length) {
        tokens.push(await app.tokenOf(plain));
      }
      const answers = await atOnce([app, second], pending.length, (i) =>
        instance(i).confirm(tokens[i]!, pending[i]!, codeOf(pending[i]!)),
      );
      const codes = answers.map(({ json }) => json.recoveryCodes as string[] | undefined);
      expect(answers.map(outcomeOf)).toEqual(['200', '200', '200', '200']);
      expect(codes.filter((code) => code !== undefined)).toHaveLength(1);
      expect(await app.rowsAbout(plain)).toEqual({ devices: 4, recoveryCodes: 10 });
      const [code] = codes.flat().filter((code) => code !== undefined);
      expect(await app.outcomeOfLogin(plain, code, 'recovery')).toBe('200');
    });

    it('are confirmed once by ten requests at once', async () => {
      const device = await app.pending(token);
      const outcomes = await atOnce([app, second], 10, async (i) =>
        outcomeOf(await instance(i).confirm(token, device, codeOf(device))),
      );
      expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
      expect(outcomes.filter((outcome) => /^5/.test(outcome))).toEqual([]);
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
    });

    it('get new recovery codes, which end the old ones', async () => {
      await app.pending(token);
      expect(await statusOf('POST', 'factors/recovery')).toBe('40900');
      const { device, recoveryCodes: old, token: next } = await app.enrol(token);
      const answer = await call('POST', 'factors/recovery', undefined, next);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      const { recoveryCodes } = answer.json as { recoveryCodes: string[] };
      expect(Object.keys(answer.json)).toEqual(['recoveryCodes']);
      expect([recoveryCodes.length, recoveryCodes.some((code) => old.includes(code))]).toEqual([10, false]);
      expect(await second.outcomeOfLogin(plain, old[0], 'recovery')).toBe('40113');
      expect(await second.outcomeOfLogin(plain, recoveryCodes[0], 'recovery')).toBe('200');
      expect(app.eventsOf(plain)).toContain('recovery-renewed');
      const sets = await atOnce([app, second], 4, (i) => instance(i).call(next, 'POST', 'factors/recovery'));
      expect(countsOf(sets.map(outcomeOf))).toEqual({ [outcomeOf(answer)]: 4 });
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
      pass(STEP_MS);
      expect(await app.outcomeOfLogin(plain, codeOf(device))).toBe('200');
    });

    it('are removed by their owner; the recovery codes go with the last one', async () => {
      const first = await app.enrol(token);
      const { device, token: latest } = await app.enrol(first.token);
      const remove = (id: string, as = latest) => statusOf('DELETE', `factors/${id}`, undefined, as);
      const stranger = await app.tokenOf(await app.user());
      expect(await remove(device.id, stranger)).toBe('40400');
      expect(await remove('%00')).toBe('40400');
      expect(await remove(first.device.id)).toBe('204');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 1, recoveryCodes: 10 });
      expect(await remove(device.id)).toBe('204');
      expect(await remove(device.id)).toBe('40400');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 0, recoveryCodes: 0 });
      expect((await second.login(plain.username)).status).toBe(200);
      expect(app.eventsOf(plain).filter((type) => type === 'factor-removed')).toHaveLength(2);
    });

    it('have recovery codes where there is a device, after races of removal and confirmation', async () => {
      for (let round = 0; round < 3; round++) {
        const user = await app.user();
        const { device, token: latest } = await app.enrol(await app.tokenOf(user));
        const next = await app.pending(latest);
        const outcomes = await Promise.all([
          ...[0, 1].map(async (i) =>
            outcomeOf(await instance(i).call(latest, 'DELETE', `factors/${device.id}`)),
          ),
          second.confirm(latest, next, codeOf(next)).then(outcomeOf),
        ]);
        expect(outcomes.filter((outcome) => /^5/.test(outcome))).toEqual([]);
        expect(outcomes.filter((outcome) => outcome === '204').length).toBeLessThanOrEqual(1);
        const { devices, recoveryCodes } = await app.rowsAbout(user);
        expect(recoveryCodes).toBe(devices === 0 ? 0 : 10);
        const { json } = await app.login(user.username);
        expect(json.code).toBe(devices === 0 ? undefined : 40112);
      }
    });

    it('are removed by an administrator, which ends the sessions of the user', async () => {
      const { device, recoveryCodes, token: latest } = await app.enrol(token);
      pass(STEP_MS);
      expect(await statusOf('DELETE', `users/${plain.id}/factors`, undefined, admin)).toBe('204');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 0, recoveryCodes: 0 });
      expect(await second.stateOf(latest)).toEqual(over);
      pass(1000);
      const { json } = await app.login(plain.username);
      expect(await app.stateOf(json.token)).toBe('live');
      const { device: another } = await app.enrol(json.token);
      expect(another.id).not.toBe(device.id);
      expect(await app.outcomeOfLogin(plain, recoveryCodes[0], 'recovery')).toBe('40113');
      const [event] = app.heard('factor-removed').filter(({ subjectId }) => subjectId === plain.id);
      expect(event).toMatchObject({ actor: 'admin', subject: plain.username, success: true });
    });

    it('are removed by administrators within their reach alone', async () => {
      const helper = await app.tokenOf(await app.user({ roles: ['factors-admin'] }));
      const reader = await app.tokenOf(
        await app.user({ roles: [await app.role({ permissions: ['auth:user:read'] })] }),
      );
      const chief = await app.administrator();
      const enrolled = await app.enrol(await app.tokenOf(chief));
      const remove = (id: string | number, as: string) =>
        statusOf('DELETE', `users/${id}/factors`, undefined, as);
      expect(await remove(chief.id, helper)).toBe('40300');
      expect([await remove(plain.id, reader), await remove(plain.id, token)]).toEqual(['40300', '40300']);
      const list = (as: string) => statusOf('GET', `users/${chief.id}/factors`, undefined, as);
      expect([await list(reader), await list(token)]).toEqual(['200', '40300']);
      expect(await app.rowsAbout(chief)).toEqual({ devices: 1, recoveryCodes: 10 });
      expect(await app.stateOf(enrolled.token)).toBe('live');
      const other = await app.enrolled();
      await app.users.update({ id: other.id }, { status: AuthUserStatus.DISABLED });
      expect([await remove(other.id, helper), await remove(other.id, admin)]).toEqual(['40300', '204']);
      expect([await remove(other.id, admin), await remove(2 ** 31 - 1, helper)]).toEqual(['40400', '40400']);
    });

    it('are not removed by administrators who have shown the password alone', async () => {
      const chief = await app.enrolled({ roles: [SUPER_ADMIN] });
      const fresh = async (as: string, json: object) => (await call('POST', 'fresh', json, as)).json.token;
      const remove = (as: string) => statusOf('DELETE', `users/${chief.id}/factors`, undefined, as);
      pass(11 * MINUTE_MS);
      const withPassword = await fresh(chief.token, { password: PASSWORD });
      expect(await remove(withPassword)).toMatch(/^40120/);
      expect(await app.rowsAbout(chief)).toEqual({ devices: 1, recoveryCodes: 10 });
      expect(await remove(await fresh(withPassword, { factor: 'totp', code: codeOf(chief.device) }))).toBe(
        '204',
      );
    });

    it('are gone with their user', async () => {
      await app.enrol(token);
      expect(await statusOf('DELETE', `users/${plain.id}`, undefined, admin)).toBe('204');
      expect(await app.rowsAbout(plain)).toEqual({ devices: 0, recoveryCodes: 0 });
    });

    it('of another row open nothing: 50300, and a line in the log', async () => {
      const [victim, thief] = [await app.enrolled(), await app.enrolled()];
      const rows = app.rowsOf(AuthTotp);
      const { secret } = await rows.findOneByOrFail({ id: thief.device.id });
      const own = await rows.findOneByOrFail({ id: victim.device.id });
      pass(STEP_MS);
      for (const wrong of [secret, '']) {
        await rows.update({ id: own.id }, { secret: wrong });
        const challenge = await app.challenge(victim);
        const lines = logged().length;
        expect(await app.outcomeOf(challenge, codeOf(thief.device))).toBe('50300');
        expect(await app.outcomeOf(challenge, codeOf(victim.device))).toBe('50300');
        const told = logged().slice(lines).join('\n');
        expect([told.includes(own.id), told.includes(thief.device.secret)]).toEqual([true, false]);
        await call('POST', `users/${victim.id}/unlock`, undefined, admin);
      }
      expect(await app.outcomeOfLogin(victim, victim.recoveryCodes[0], 'recovery')).toBe('200');
      await rows.update({ id: own.id }, { secret: own.secret });
      expect(await app.outcomeOfLogin(victim, codeOf(victim.device))).toBe('200');
    });

    it('that cannot be opened leave the other devices of the user usable', async () => {
      const user: EnrolledUser = await app.enrolled();
      const tablet = await app.enrol(user.token);
      pass(STEP_MS);
      await app.rowsOf(AuthTotp).update({ id: user.device.id }, { secret: 'junk' });
      expect(await app.outcomeOfLogin(user, codeOf(tablet.device))).toBe('200');
    });

    it('that are pending make room for new ones', async () => {
      const devices: Device[] = [];
      for (let i = 0; i < 7; i++) {
        devices.push(await app.pending(token, `Phone ${i}`));
        pass(1000);
      }
      expect(await app.rowsOf(AuthTotp).countBy({ userId: String(plain.id) })).toBe(5);
      expect(outcomeOf(await app.confirm(token, devices[0]!, codeOf(devices[0]!)))).toBe('40400');
      expect(outcomeOf(await app.confirm(token, devices[6]!, codeOf(devices[6]!)))).toBe('200');
    });
  });
}
