import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { freezeDate, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { idOf, type OwnUsers } from '../users/own-users.js';
import { countsOf, MINUTE_MS, ORIGIN, outcomeOf, PasskeysApp } from './app.js';
import { OWN_USER_STORES } from '../users/in-transactions.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
/** As long as an id of the database may be; the other two differ in case alone. */
const IDS = [`auth0|${'x'.repeat(58)}`, 'usr_Ab', 'usr_aB'];

/** With a data source for the tables of the packages, and users of their own. */
export function describeOwnUsersWithPasskeys({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(
    `passkeys of users with text ids $how on ${String(database)}`,
    ({ users, store }) => {
      const app = sharedTestApp(
        new PasskeysApp({
          platform,
          database,
          admin: false,
          core: KitAuthModule.forRoot({ users, password: { cost: 10 }, jwt: { checkStamp: 0 } }),
        }),
      );
      let start = Date.now();
      const own = () => app.get<OwnUsers>(store);
      beforeEach(() => {
        start += 10 * MINUTE_MS;
        freezeDate(start);
        own().db.exec('delete from account');
        IDS.forEach((id) => own().insert({ id, name: `name of ${id}`, hash: HASH }));
      });
      afterEach(() => {
        jest.useRealTimers();
      });
      const of = (id: string) => ({ username: `name of ${id}`, id: idOf(id) });

      it('are added, used and removed by their owner alone', async () => {
        const handles = new Set<string>();
        for (const [i, id] of IDS.entries()) {
          const [user, other] = [of(id), of(IDS[(i + 1) % IDS.length]!)];
          const passkey = fakePasskey({ origin: ORIGIN });
          const { json } = await app.add(await app.tokenOf(user), passkey);
          handles.add(json.signal.userId);
          const login = await app.logIn(passkey);
          expect([login.status, login.json.user?.userId]).toEqual([200, id]);
          const strangers = await app.tokenOf(other);
          expect(outcomeOf(await app.call(strangers, 'DELETE', `passkeys/${json.id}`))).toBe('40400');
          expect((await app.call(strangers, 'GET', 'passkeys')).json).toEqual([]);
          const token = login.json.token as string;
          expect(outcomeOf(await app.call(token, 'DELETE', `passkeys/${json.id}`))).toBe('204');
          expect(await app.outcomeOfLogin(passkey)).toBe('40113');
        }
        expect(handles.size).toBe(IDS.length);
      });

      it('of a user without a password are the last way to log in', async () => {
        const user = of('usr_Ab');
        const [first, other] = [fakePasskey({ origin: ORIGIN }), fakePasskey({ origin: ORIGIN })];
        const one = await app.add(await app.tokenOf(user), first);
        const two = await app.add(one.json.token, other);
        own().db.exec(`update account set hash = null where id = 'usr_Ab'`);
        const { token } = (await app.logIn(first)).json;
        const outcomes = await Promise.all(
          [one, two].map(async ({ json }) =>
            outcomeOf(await app.call(token, 'DELETE', `passkeys/${json.id}`)),
          ),
        );
        expect(countsOf(outcomes)).toEqual({ 204: 1, '40900 last': 1 });
        expect((await app.call(token, 'GET', 'passkeys')).json).toHaveLength(1);
      });

      it('are removed by an administrator of the application, also the last one', async () => {
        const user = of('usr_aB');
        const { json } = await app.add(await app.tokenOf(user));
        own().insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
        const chief = await app.tokenOf('chief');
        const remove = async (id: string, as: string) =>
          outcomeOf(await app.call(as, 'DELETE', `users/${encodeURIComponent(id)}/passkeys`));
        expect(await remove('usr_aB', json.token)).toBe('40300');
        expect(await remove('usr_aB', chief)).toBe('204');
        expect(await remove('usr_nobody', chief)).toBe('40400');
        expect(await app.countOf(user)).toBe(0);
      });
    },
  );
}
