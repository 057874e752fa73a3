import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule, type UserId } from 'kit-auth';
import { freezeDate, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { codeOf, FactorsApp, outcomeOf, STEP_MS } from './app.js';
import { idOf, type OwnUsers } from '../users/own-users.js';
import { OWN_USER_STORES } from '../users/in-transactions.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
/** As long as an id of the database may be; the other two differ in case alone. */
const IDS = [`auth0|${'x'.repeat(58)}`, 'usr_Ab', 'usr_aB'];

/** With a data source for the tables of the packages, and users of their own. */
export function describeOwnUsersWithFactors({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(
    `second factors of users with text ids $how on ${String(database)}`,
    ({ users, store }) => {
      const app = sharedTestApp(
        new FactorsApp({
          platform,
          database,
          admin: false,
          core: KitAuthModule.forRoot({ users, password: { cost: 10 }, jwt: { checkStamp: 0 } }),
          factors: { requiredFor: ['clerk'] },
        }),
      );
      let pass: (milliseconds: number) => void;
      const own = () => app.get<OwnUsers>(store);
      beforeEach(() => {
        pass = freezeDate();
        own().db.exec('delete from account');
        IDS.forEach((id) => own().insert({ id, name: `name of ${id}`, hash: HASH }));
      });
      afterEach(() => {
        jest.restoreAllMocks();
        jest.useRealTimers();
      });
      const of = (id: string) => ({ username: `name of ${id}`, id: idOf(id) });
      const remove = async (id: UserId | string, as: string) =>
        outcomeOf(await app.call(as, 'DELETE', `users/${encodeURIComponent(id)}/factors`));

      it('are added, used and removed by their owner alone', async () => {
        for (const [i, id] of IDS.entries()) {
          const other = of(IDS[(i + 1) % IDS.length]!);
          const user = of(id);
          const { device, recoveryCodes, token } = await app.enrol(await app.tokenOf(user));
          pass(STEP_MS);
          expect((await app.call(token, 'GET', 'me')).json.userId).toBe(id);
          const strangers = await app.tokenOf(other);
          expect(outcomeOf(await app.call(strangers, 'DELETE', `factors/${device.id}`))).toBe('40400');
          expect(await app.outcomeOfLogin(user, codeOf(device))).toBe('200');
          expect(await app.outcomeOfLogin(user, codeOf(device))).toBe('40113');
          expect(await app.outcomeOfLogin(user, recoveryCodes[0], 'recovery')).toBe('200');
          expect(await app.factorsOf(token)).toEqual({ names: ['Phone'], recoveryCodesLeft: 9 });
          expect(await app.rowsAbout(other)).toEqual({ devices: 0, recoveryCodes: 0 });
          expect((await app.call(token, 'DELETE', `factors/${device.id}`)).status).toBe(204);
          expect(await app.rowsAbout(user)).toEqual({ devices: 0, recoveryCodes: 0 });
        }
      });

      it('end a challenge with a change of the password', async () => {
        const user = of('usr_Ab');
        const { device, token } = await app.enrol(await app.tokenOf(user));
        pass(STEP_MS);
        const challenge = await app.challenge(user);
        const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712' };
        expect((await app.call(token, 'POST', 'password', body)).status).toBe(204);
        expect(await app.outcomeOf(challenge, codeOf(device))).toBe('40113 challenge-ended');
      });

      it('are required for roles of the application', async () => {
        own().insert({ id: 'usr_clerk', name: 'name of usr_clerk', hash: HASH, roles: '["clerk"]' });
        const token = await app.tokenOf('name of usr_clerk');
        expect(await app.codeOf(token, '/v1/proof')).toBe(40303);
        expect(await app.codeOf((await app.enrol(token)).token, '/v1/proof')).toBe(200);
      });

      it('are removed by an administrator of the application', async () => {
        const user = of('usr_aB');
        const { token } = await app.enrol(await app.tokenOf(user));
        own().insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
        const chief = await app.tokenOf('chief');
        expect(await remove(user.id, token)).toBe('40300');
        expect(await remove(user.id, chief)).toBe('204');
        expect(await remove('usr_nobody', chief)).toBe('40400');
        expect(await app.rowsAbout(user)).toEqual({ devices: 0, recoveryCodes: 0 });
        expect((await app.login(user.username)).status).toBe(200);
      });
    },
  );
}
