import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitterModule } from '@nestjs/event-emitter';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthException, KitAuthModule } from 'kit-auth';
import { KitAuthUserListModule } from 'kit-auth-admin';
import { SessionManager } from 'kit-auth-session';
import { EventListener, freezeDate, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { outcomeOf } from '../factors/app.js';
import { idOf, type OwnUsers } from '../users/own-users.js';
import { OWN_USER_STORES } from '../users/in-transactions.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
const HOUR = 60 * 60_000;
const LAST = new AuthException(AuthErrorCode.CONFLICT, { message: 'The last one' });

/** The list of users with text ids, in a store of their own. */
export function describeUserList({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(
    `the list of users with text ids $how on ${platform} with ${String(database)}`,
    ({ users, store }) => {
      const app = sharedTestApp({
        platform,
        database,
        provider: 'session',
        core: KitAuthModule.forRoot({ users, password: { cost: 10 } }),
        imports: [EventEmitterModule.forRoot({ wildcard: true }), KitAuthUserListModule],
        providers: [EventListener],
      });
      const own = () => app.get<OwnUsers>(store);
      let advance: (milliseconds: number) => void;
      let [ada, chief, helper] = ['', '', ''];
      beforeEach(async () => {
        advance = freezeDate();
        own().db.exec('delete from account');
        await app.get(SessionManager).endAllOf(idOf('usr_Ab'));
        own().insert({ id: 'usr_Ab', name: 'Ada', hash: HASH, roles: '["writer","author"]' });
        own().insert({ id: 'usr_aB', name: 'aDA', hash: HASH, active: 0 });
        own().insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
        const permissions = '["auth:user:*","auth:session:*"]';
        own().insert({ id: 'usr_help', name: 'helper', hash: HASH, permissions });
        [ada, chief, helper] = [
          await app.tokenOf('Ada'),
          await app.tokenOf('chief'),
          await app.tokenOf('helper'),
        ];
        app.get(EventListener).heard.length = 0;
      });
      afterEach(() => {
        jest.restoreAllMocks();
      });

      const list = async (query = '') => {
        const { status, json, text } = await app.call(helper, 'GET', `users?${query}`);
        expect([status, text]).toEqual([200, text]);
        const { items, ...page } = json as { items: { userId: string }[] };
        return { ...page, ids: items.map(({ userId }) => userId) };
      };
      const set = async (token: string, id: string, status: string) =>
        outcomeOf(await app.call(token, 'PATCH', `users/${id}`, { status }));
      const heard = () =>
        app
          .get(EventListener)
          .heard.map(({ type, actorId, subjectId, subject, detail, success }) =>
            [type, actorId, subjectId, subject, detail, success].join(' '),
          );

      it('has pages in the order of the store, with a total on the last one', async () => {
        expect(await list()).toEqual({
          page: 1,
          size: 20,
          total: 4,
          ids: ['usr_Ab', 'usr_aB', 'usr_help', 'usr_root'],
        });
        expect(await list('size=3')).toMatchObject({ total: null, ids: ['usr_Ab', 'usr_aB', 'usr_help'] });
        expect(await list('page=2&size=2')).toMatchObject({ total: 4, ids: ['usr_help', 'usr_root'] });
        expect(await list('page=9&size=3')).toMatchObject({ total: 4, ids: [] });
        expect(await list('status=DISABLED')).toMatchObject({ total: 1, ids: ['usr_aB'] });
      });

      it('reads more than a thousand users in batches', async () => {
        for (let i = 0; i < 1200; i++) {
          own().insert({ id: `usr_z${String(i).padStart(4, '0')}`, name: `many ${i}`, hash: null });
        }
        const listUsers = jest.spyOn(own(), 'listUsers');
        expect(await list('page=61&size=20')).toMatchObject({
          total: 1204,
          ids: [1196, 1197, 1198, 1199].map((i) => `usr_z${i}`),
        });
        expect(listUsers.mock.calls.map(([{ limit }]) => limit)).toEqual([1000, 221, 17]);
        listUsers.mockClear();
        expect(await list()).toMatchObject({ total: null });
        expect(listUsers.mock.calls.map(([{ limit }]) => limit)).toEqual([21]);
      });

      it.each([
        ['q=ada', 'is not supported'],
        ['role=writer', 'is not supported'],
        ['status=nonsense', 'status must be ENABLED or DISABLED'],
      ])('refuses %s, which the store cannot answer', async (query, message) => {
        const { json } = await app.call(helper, 'GET', `users?${query}`);
        expect(json).toMatchObject({ code: 40000, message: expect.stringContaining(message) });
      });

      it('answers 50300 if the store returns the same page again and again', async () => {
        const page = await own().listUsers({ limit: 4 });
        jest.spyOn(own(), 'listUsers').mockResolvedValue(page);
        expect(outcomeOf(await app.call(helper, 'GET', 'users'))).toBe('50300');
        expect(app.logs.all()).toContain('.listUsers() returned the same page again: it ignores page.after.');
      });

      it('shows a user, enabled or not, and null where the store knows nothing', async () => {
        const unknown = { lockedUntil: null, lastLoginAt: null, createdAt: null, updatedAt: null };
        const shown = async (id: string) => (await app.call(helper, 'GET', `users/${id}`)).json;
        const known = { superAdmin: false, roles: ['author', 'writer'], mustChangePassword: false };
        const enabled = { userId: 'usr_Ab', username: 'Ada', nickname: 'Ada', status: 'ENABLED' };
        expect(await shown('usr_Ab')).toEqual({ ...enabled, ...known, ...unknown });
        const none = { superAdmin: null, roles: [], mustChangePassword: null };
        const disabled = { userId: 'usr_aB', username: 'aDA', nickname: 'aDA', status: 'DISABLED' };
        expect(await shown('usr_aB')).toEqual({ ...disabled, ...none, ...unknown });
        expect(outcomeOf(await app.call(helper, 'GET', 'users/usr_AB'))).toBe('40400');
        expect(outcomeOf(await app.call(helper, 'GET', 'users/%20'))).toBe('40400');
        expect(outcomeOf(await app.call(ada, 'GET', 'users'))).toBe('40300');
        expect(outcomeOf(await app.call(ada, 'GET', 'users/usr_Ab'))).toBe('40300');
        expect(await set(ada, 'usr_root', 'DISABLED')).toBe('40300');
        expect(await set(chief, 'usr_Ab', 'LOCKED')).toBe('40000');
      });

      it('disables a user, whose sessions end, and enables the user again', async () => {
        const { json } = await app.call(helper, 'PATCH', 'users/usr_Ab', { status: 'DISABLED' });
        expect(json).toMatchObject({ userId: 'usr_Ab', status: 'DISABLED' });
        expect(await app.stateOf(ada)).toBe('40101 disabled');
        expect(outcomeOf(await app.login('Ada'))).toBe('40111');
        expect(await set(chief, 'usr_Ab', 'ENABLED')).toBe('200');
        expect(await set(chief, 'usr_Ab', 'ENABLED')).toBe('200');
        await app.tokenOf('Ada');
        expect(await app.stateOf(ada)).toBe('40101 disabled');
        expect(heard().filter((line) => line.startsWith('user-'))).toEqual([
          'user-status-changed usr_help usr_Ab Ada DISABLED true',
          'user-status-changed usr_root usr_Ab Ada ENABLED true',
        ]);
      });

      it('protects users with administrative permissions, and disabled ones, from other administrators', async () => {
        expect(await set(helper, 'usr_root', 'DISABLED')).toBe('40300');
        expect(await set(helper, 'usr_aB', 'ENABLED')).toBe('40300');
        expect(outcomeOf(await app.call(helper, 'DELETE', 'users/usr_root/sessions'))).toBe('40300');
        expect(await app.stateOf(chief)).toBe('live');
        expect(heard().filter((line) => line.startsWith('access-denied'))).toHaveLength(3);
        expect(await set(chief, 'usr_nobody', 'ENABLED')).toBe('40400');
      });

      it('keeps the own account, and the last administrator of the store', async () => {
        expect(await set(chief, 'usr_root', 'DISABLED')).toBe('40900');
        expect(await set(chief, 'usr_root', 'ENABLED')).toBe('200');
        jest.spyOn(own(), 'disableUser').mockRejectedValueOnce(LAST);
        expect(await set(chief, 'usr_help', 'DISABLED')).toBe('40900');
        expect([await app.stateOf(chief), await app.stateOf(helper)]).toEqual(['live', 'live']);
        expect(heard().filter((line) => line.startsWith('user-'))).toEqual([]);
      });

      it('needs a fresh login for another status, and to end sessions', async () => {
        advance(HOUR / 2);
        expect(await set(chief, 'usr_Ab', 'DISABLED')).toBe('40120 expired');
        expect(await set(chief, 'usr_Ab', 'ENABLED')).toBe('200');
        expect(outcomeOf(await app.call(chief, 'DELETE', 'users/usr_Ab/sessions'))).toBe('40120 expired');
        expect(await app.stateOf(ada)).toBe('live');
      });

      it('obeys administrators of this moment only', async () => {
        own().db.exec(`update account set permissions = '["auth:user:read"]' where id = 'usr_help'`);
        expect(await set(helper, 'usr_Ab', 'DISABLED')).toBe('40300');
        own().db.exec(`update account set active = 0 where id = 'usr_help'`);
        expect(outcomeOf(await app.call(helper, 'GET', 'users'))).toMatch(/^40101/);
      });

      it('lists and ends the sessions of users', async () => {
        const sessions = (await app.call(helper, 'GET', 'users/usr_Ab/sessions')).json as { id: string }[];
        const path = `users/usr_Ab/sessions/${sessions[0]!.id}`;
        expect((await app.call(helper, 'DELETE', path)).status).toBe(204);
        expect(outcomeOf(await app.call(helper, 'DELETE', path))).toBe('40400');
        expect(await app.stateOf(ada)).toBe('40101 kicked');
        expect((await app.call(helper, 'DELETE', 'users/usr_Ab/sessions')).status).toBe(204);
        expect(outcomeOf(await app.call(helper, 'GET', 'users/usr_nobody/sessions'))).toBe('40400');
        expect(heard()).toEqual([
          `sessions-ended usr_help usr_Ab Ada ${sessions[0]!.id} true`,
          'sessions-ended usr_help usr_Ab Ada all true',
        ]);
      });
    },
  );
}
