/** @own-context because TypeORM creates the tables of all applications of a context */
import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { KitAuthUserListModule } from 'kit-auth-admin';
import { PASSWORD, sharedTestApp } from 'test-support';
import { ConsoleApp } from './app.js';
import { modulePage } from './module-page.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 4);

describe.each([false, true])(
  'the console of an application with its own users, and their list: %s',
  (hasList) => {
    const app = sharedTestApp(
      new ConsoleApp({
        admin: false,
        extras: ['audit', 'keys'],
        core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
        imports: hasList ? [KitAuthUserListModule] : [],
      }),
    );
    beforeAll(async () => {
      const users = app.get(OwnUsers);
      users.insert({ id: 'usr_ada', name: 'Ada', hash: HASH, permissions: '["note:read"]' });
      users.insert({ id: 'usr/bob', name: 'Bob', hash: HASH, active: 0 });
      users.insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
      await app.call(await app.tokenOf('Ada'), 'POST', 'keys', { name: 'Export', abilities: ['note:read'] });
    });
    const opened = async () => modulePage(app, await app.tokenOf('chief'));

    it('has the sections that exist', async () => {
      const { json } = await app.call(await app.tokenOf('chief'), 'GET', 'console');
      const { users, sessions, ...others } = json.sections;
      expect([users, sessions]).toEqual(
        hasList
          ? [
              ['read', 'write'],
              ['read', 'end'],
            ]
          : [[], []],
      );
      expect(others).toEqual({ roles: [], keys: ['read', 'end'], audit: ['read'], invitations: [] });
      expect(json).toMatchObject({ user: { userId: 'usr_root', superAdmin: true }, idType: 'string' });
      expect(json.freshAdmin).toBe(hasList);
    });

    (hasList ? it.skip : it)('opens a user by the name', async () => {
      const page = await opened();
      await page.press('Users');
      page.fill({ name: 'Ada' });
      await page.submit();
      expect(page.path).toBe('users/usr_ada');
      expect(page.texts('main nav.tabs a')).toEqual(['Account', 'API keys', 'Events']);
      await page.press('API keys');
      expect([page.texts('tbody th'), page.refused]).toEqual([['Export'], []]);
    });

    (hasList ? it : it.skip)(
      'lists users by their status, enables and disables them, and ends their keys',
      async () => {
        const page = await opened();
        const names = () => page.texts('tbody th a');
        await page.go('users');
        expect(names()).toEqual(expect.arrayContaining(['Ada', 'Bob', 'chief']));
        expect(page.all('main [name=q], main [name=role]')).toEqual([]);
        page.fill({ status: 'DISABLED' });
        page.find('#filter-status').fire('change');
        await page.settle();
        expect([page.path, names()]).toEqual(['users?status=DISABLED', ['Bob']]);

        await page.press('Bob');
        await page.press('Enable');
        expect(page.texts('main .tag.good')).toEqual(['Active']);
        await page.press('Disable');
        await page.submit();
        expect(page.texts('main .tag.bad')).toEqual(['Disabled']);
        expect(await app.get(OwnUsers).loadLoginUser('usr/bob' as never)).toBeUndefined();

        await page.go('users/usr_ada/keys');
        await page.press('Revoke');
        await page.submit();
        expect([page.texts('tbody th'), page.refused]).toEqual([[], []]);
      },
    );
  },
);
