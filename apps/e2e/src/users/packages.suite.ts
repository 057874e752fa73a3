import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthEvents, KitAuthModule } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { atOnce, freezeDate, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { countsOf, KEY, outcomeOf } from '../factors/app.js';
import { KeysApp } from '../keys/app.js';
import { MINUTE_MS, ORIGIN, PasskeysApp } from '../passkeys/app.js';
import { OWN_USER_STORES, UsersInTransactions } from './in-transactions.js';
import { idOf, type OwnUsers } from './own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
/** As long as an id of the database may be; the other two differ in case alone. */
const IDS = [`auth0|${'x'.repeat(58)}`, 'usr_Ab', 'usr_aB'];

/** Packages with tables of their own in a data source, and users elsewhere. */
export function describePackagesWithOwnUsers({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(`users with text ids $how on ${String(database)}`, ({ users, store }) => {
    const where = {
      platform,
      database,
      admin: false,
      core: KitAuthModule.forRoot({ users, password: { cost: 10 }, jwt: { checkStamp: 0 } }),
    };
    const own = (app: PasskeysApp | KeysApp) => app.get<OwnUsers>(store);
    const of = (id: string) => ({ username: `name of ${id}`, id: idOf(id) });
    let start = Date.now();
    const begin = async (app: PasskeysApp | KeysApp): Promise<string> => {
      start += 10 * MINUTE_MS;
      freezeDate(start);
      own(app).db.exec('delete from account');
      const permissions = '["note:*"]';
      IDS.forEach((id) => own(app).insert({ id, name: of(id).username, hash: HASH, permissions }));
      own(app).insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
      return app.tokenOf('chief');
    };
    let chief: string;
    afterEach(() => {
      jest.restoreAllMocks();
    });

    describe('with second factors', () => {
      const factors = KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'App', requiredFor: ['clerk'] });
      const app = sharedTestApp(new PasskeysApp({ ...where, before: [factors] }));
      beforeEach(async () => {
        chief = await begin(app);
      });
      const remove = async (path: string, as: string) => outcomeOf(await app.call(as, 'DELETE', path));
      const listOf = async (path: string, as: string) => (await app.call(as, 'GET', path)).json;

      it.each(IDS)('have passkeys and devices of their own: %s', async (id) => {
        const [user, other] = [of(id), of(IDS[(IDS.indexOf(id) + 1) % IDS.length]!)];
        const passkey = fakePasskey({ origin: ORIGIN });
        const { json } = await app.add(await app.tokenOf(user), passkey);
        const strangers = await app.tokenOf(other);
        expect(await remove(`passkeys/${json.id}`, strangers)).toBe('40400');
        expect(await listOf('passkeys', strangers)).toEqual([]);
        const login = await app.logIn(passkey);
        expect(login.json.user.userId).toBe(id);
        expect(await remove(`passkeys/${json.id}`, login.json.token)).toBe('204');
        expect(await app.outcomeOfLogin(passkey)).toBe('40113');

        const device = await enrolFactor(app.nest, user.id);
        const shown = async (factor: string, code: string) => {
          const { challenge } = (await app.login(user.username)).json;
          return app.call(undefined, 'POST', 'login/factor', { challenge, factor, code });
        };
        const { token } = (await shown('totp', await device.code())).json;
        expect((await shown('recovery', device.recoveryCodes[0]!)).status).toBe(200);
        expect(await listOf('factors', token)).toMatchObject({ recoveryCodesLeft: 9 });
        expect(await listOf('factors', strangers)).toEqual({ factors: [], recoveryCodesLeft: 0 });
        expect(await remove(`factors/${device.id}`, strangers)).toBe('40400');
        expect(await remove(`users/${encodeURIComponent(id)}/factors`, strangers)).toBe('40300');
        expect(await remove(`users/${encodeURIComponent(id)}/factors`, chief)).toBe('204');
        expect(await remove('users/usr_nobody/passkeys', chief)).toBe('40400');
        expect((await app.login(user.username)).status).toBe(200);
      });
    });

    describe('with API keys', () => {
      const app = sharedTestApp(new KeysApp({ ...where, keys: { maxPerUser: 3 } }));
      let token: string;
      beforeEach(async () => {
        chief = await begin(app);
        token = await app.tokenOf(of('usr_Ab'));
        await app.call(chief, 'DELETE', 'users/usr_Ab/keys');
      });

      it('have keys of their own, which can do what their owner can', async () => {
        const [{ id, key }, { key: another }] = [await app.newKey(token), await app.newKey(token)];
        const { json } = await app.request('/v1/notes', { token: key });
        expect(json).toMatchObject({ userId: 'usr_Ab', permissions: ['note:read'], roles: [] });
        const other = await app.tokenOf(of('usr_aB'));
        expect(await app.idsOf(other)).toEqual([]);
        expect(outcomeOf(await app.call(other, 'DELETE', `keys/${id}`))).toBe('40400');
        expect((await app.call(token, 'DELETE', `keys/${id}`)).status).toBe(204);
        expect((await app.call(chief, 'DELETE', 'users/usr_Ab/keys')).status).toBe(204);
        expect([await app.use(key), await app.use(another)]).toEqual(['40101 logged-out', '40101 kicked']);
        const { key: last } = await app.newKey(token);
        own(app).db.exec(`update account set permissions = '["note:write"]' where id = 'usr_Ab'`);
        expect(await app.use(last)).toMatch(/^40304/);
        own(app).db.exec(`delete from account where id = 'usr_Ab'`);
        expect(await app.use(last)).toBe('40101 disabled');
      });

      it('have keys that end with a reset, and with a change that fails halfway without a transaction', async () => {
        const { key } = await app.newKey(token);
        jest.spyOn(own(app), 'changePassword').mockRejectedValueOnce(new Error('disk full'));
        const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712', endKeys: true };
        expect(outcomeOf(await app.call(token, 'POST', 'password', body))).toBe('50300');
        const hasTransactions = store === UsersInTransactions;
        expect(await app.use(key)).toBe(hasTransactions ? 'live' : '40101 password-changed');
        const { key: other } = await app.newKey(token);
        await app
          .get(ActiveUserStore)
          .transaction(app.get<AuthEvents>(AuthEvents).begin(), (change) =>
            change.note({ type: 'password-reset', subjectId: idOf('usr_Ab') }),
          );
        expect(await app.use(other)).toBe('40101 password-changed');
      });

      it('have as many keys as the application allows, however many are created at once', async () => {
        const outcomes = await atOnce([app], 10, async () => outcomeOf(await app.postKey(token)));
        expect(countsOf(outcomes)).toEqual({ 201: 3, 40900: 7 });
        expect(await app.idsOf(token)).toHaveLength(3);
      });
    });
  });
}
