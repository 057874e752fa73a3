import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthEvents, KitAuthModule } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { atOnce, freezeDate, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { outcomeOf } from '../factors/app.js';
import { KeysApp } from './app.js';
import { idOf, OwnUsers } from '../users/own-users.js';
import { OWN_USER_STORES } from '../users/in-transactions.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);

/** With a data source for the table of keys, and users of their own. */
export function describeOwnUsersWithKeys({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(
    `API keys of users with text ids $how on ${String(database)}`,
    ({ users, store }) => {
      const app = sharedTestApp(
        new KeysApp({
          platform,
          database,
          admin: false,
          keys: { maxPerUser: 3 },
          core: KitAuthModule.forRoot({ users, password: { cost: 10 }, jwt: { checkStamp: 0 } }),
        }),
      );
      const own = () => app.get<OwnUsers>(store);
      const set = (column: string, value: string | number, id: string) =>
        own().db.prepare(`update account set ${column} = ? where id = ?`).run(value, id);
      let ada: string;
      let chief: string;
      beforeEach(async () => {
        freezeDate();
        own().db.exec('delete from account');
        const permissions = '["note:*"]';
        own().insert({ id: 'usr_Ab', name: 'Ada', hash: HASH, permissions });
        own().insert({ id: 'usr_aB', name: 'aDA', hash: HASH, permissions });
        own().insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
        [ada, chief] = [await app.tokenOf('Ada'), await app.tokenOf('chief')];
        await app.call(chief, 'DELETE', 'users/usr_Ab/keys');
        await app.call(chief, 'DELETE', 'users/usr_aB/keys');
      });
      afterEach(() => {
        jest.useRealTimers();
      });

      it('are created, used and ended by their owner alone', async () => {
        const { id, key } = await app.newKey(ada);
        expect((await app.request('/v1/notes', { token: key })).json).toMatchObject({
          userId: idOf('usr_Ab'),
          username: 'Ada',
          permissions: ['note:read'],
          superAdmin: false,
          roles: [],
        });
        const other = await app.tokenOf('aDA');
        expect([await app.idsOf(ada), await app.idsOf(other)]).toEqual([[id], []]);
        expect(outcomeOf(await app.call(other, 'DELETE', `keys/${id}`))).toBe('40400');
        expect((await app.call(ada, 'DELETE', `keys/${id}`)).status).toBe(204);
        expect(await app.use(key)).toBe('40101 logged-out');
      });

      it('lose what their owner loses, and work for enabled owners alone', async () => {
        const { key } = await app.newKey(ada);
        set('permissions', '["note:write"]', 'usr_Ab');
        expect(await app.use(key)).toMatch(/^40304/);
        set('permissions', '["*"]', 'usr_Ab');
        expect(await app.use(key)).toBe('live');
        set('active', 0, 'usr_Ab');
        expect(await app.use(key)).toBe('40101 disabled');
        own().db.exec(`delete from account where id = 'usr_Ab'`);
        expect(await app.use(key)).toBe('40101 disabled');
      });

      it('have ended once a change with a reset has resolved', async () => {
        const { key } = await app.newKey(ada);
        const action = app.get<AuthEvents>(AuthEvents).begin();
        await app
          .get(ActiveUserStore)
          .transaction(action, (change) =>
            change.note({ type: 'password-reset', subjectId: idOf('usr_Ab') }),
          );
        expect(await app.use(key)).toBe('40101 password-changed');
      });

      it('do not outlive a password whose change fails halfway', async () => {
        const { key } = await app.newKey(ada);
        jest.spyOn(own(), 'changePassword').mockRejectedValueOnce(new Error('disk full'));
        const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712', endKeys: true };
        expect(outcomeOf(await app.call(ada, 'POST', 'password', body))).toBe('50300');
        expect(await app.use(key)).toBe(store === OwnUsers ? '40101 password-changed' : 'live');
      });

      it('are as many as the application allows, however many are created at once', async () => {
        const answers = await atOnce([app], 10, () => app.postKey(ada));
        const created = answers.filter(({ status }) => status === 201).length;
        expect(answers.filter(({ json, status }) => status !== 201 && json.code !== 40900)).toEqual([]);
        expect(created).toBe(3);
        expect(await app.idsOf(ada)).toHaveLength(3);
      });

      it('are listed and ended by an administrator of the application', async () => {
        const keys = [await app.newKey(ada), await app.newKey(ada)];
        const path = 'users/usr_Ab/keys';
        expect((await app.call(chief, 'GET', path)).json).toHaveLength(2);
        expect(outcomeOf(await app.call(ada, 'GET', path))).toBe('40300');
        expect((await app.call(chief, 'DELETE', `${path}/${keys[0]!.id}`)).status).toBe(204);
        expect((await app.call(chief, 'DELETE', path)).status).toBe(204);
        expect([await app.use(keys[0]!.key), await app.use(keys[1]!.key)]).toEqual([
          '40101 kicked',
          '40101 kicked',
        ]);
        expect(outcomeOf(await app.call(chief, 'GET', 'users/usr_nobody/keys'))).toBe('40400');
      });
    },
  );
}
