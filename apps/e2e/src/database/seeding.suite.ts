import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import type { KitAuthOptions } from 'kit-auth';
import { AuthRole, AuthUser, AuthUserStatus, kitAuthEntities } from 'kit-auth/typeorm';
import { type DatabaseName, sharedDatabase, type TestApp, testApp } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** What seeding has to hold on every database. */
export function describeSeeding(name: DatabaseName): void {
  describe(`seeding on ${name}`, () => {
    const { options, recreate } = sharedDatabase(name);
    let direct: DataSource;

    beforeEach(async () => {
      await recreate();
      direct = await new DataSource({
        ...options,
        entities: kitAuthEntities,
      } as DataSourceOptions).initialize();
    });
    afterEach(() => direct.destroy());

    /** The tables are there: what races here is ours, not `synchronize`. */
    const startApp = (auth: KitAuthOptions = {}) =>
      testApp({ database: { ...options, synchronize: false }, options: auth });

    const login = async (app: TestApp, username = 'admin', password = 'admin') =>
      (await app.login(username, password)).json;
    const users = () =>
      direct.getRepository(AuthUser).find({ relations: { roles: true }, order: { id: 'ASC' } });
    const created = ({ logs }: TestApp) => logs.ours().some((line) => line.includes('account created'));

    it('creates the account, the role and their binding once', async () => {
      const first = await startApp();
      const second = await startApp();
      expect([created(first), created(second)]).toEqual([true, false]);
      expect(await users()).toMatchObject([
        { username: 'admin', status: AuthUserStatus.ENABLED, roles: [{ code: 'SUPER_ADMIN' }] },
      ]);
      expect(await direct.getRepository(AuthRole).count()).toBe(1);
      expect((await login(second)).user.superAdmin).toBe(true);
      const [admin] = await users();
      expect(admin).not.toHaveProperty('passwordHash');
      expect(admin!.createdAt).toBeInstanceOf(Date);
    });

    // SQLite lets one write, for which the others of a process wait in vain.
    const isServer = name !== 'sqlite';
    const count = isServer ? 4 : 1;

    (isServer ? it : it.skip)('lets several instances start at once', async () => {
      const all = await Promise.all(Array.from({ length: count }, () => startApp()));
      expect(all.filter(created)).toHaveLength(1);
      expect(await users()).toMatchObject([{ username: 'admin', roles: [{ code: 'SUPER_ADMIN' }] }]);
      expect(await direct.getRepository(AuthRole).count()).toBe(1);
      expect((await login(all.at(-1)!)).user).toMatchObject({ superAdmin: true });
    });

    const hash = bcrypt.hashSync('admin', 10);
    const insertUser = (passwordHash: string | null = hash) =>
      direct.getRepository(AuthUser).save({
        username: 'admin',
        nickname: 'admin',
        passwordHash,
        status: AuthUserStatus.ENABLED,
        roles: [],
      });
    it.each([
      ['the role', true, false],
      ['the account', false, true],
      ['the role and the account', true, true],
    ])(
      'is completed when an earlier start got no further than %s, on servers by several at once',
      async (_name, hasRole, hasAccount) => {
        if (hasRole) {
          await direct.getRepository(AuthRole).save({ code: 'SUPER_ADMIN', name: 'x', permissions: null });
        }
        if (hasAccount) {
          await insertUser();
        }
        const all = await Promise.all(Array.from({ length: count }, () => startApp()));
        expect(await users()).toMatchObject([{ username: 'admin', roles: [{ code: 'SUPER_ADMIN' }] }]);
        expect(await direct.getRepository(AuthRole).count()).toBe(1);
        expect((await login(all[0]!)).user.superAdmin).toBe(true);
      },
    );

    it.each<[string, Partial<AuthUser>]>([
      ['was renamed', { username: 'boss' }],
      ['was disabled', { status: AuthUserStatus.DISABLED }],
      ['has a new password', { passwordHash: bcrypt.hashSync('changed', 10) }],
      ['has no password', { passwordHash: null }],
    ])('leaves an administrator alone who %s', async (_name, change) => {
      await startApp();
      await direct.getRepository(AuthUser).update({ id: 1 }, change);
      const [before] = await users();
      const again = await startApp();
      expect(created(again)).toBe(false);
      expect(await users()).toEqual([before]);
      expect((await login(again)).code).toBe(change.status === undefined ? 40110 : 40111);
    });

    it('does not bind an existing account of that name', async () => {
      await insertUser(bcrypt.hashSync('of somebody else', 10));
      const one = await startApp();
      expect(await users()).toMatchObject([{ username: 'admin', roles: [] }]);
      expect(one.logs.ours()).toContainEqual(expect.stringMatching(/^warn .*there is no administrator/));
      expect((await login(one, 'admin', 'of somebody else')).user.superAdmin).toBe(false);
      await direct.getRepository(AuthUser).update({ id: 1 }, { passwordHash: null });
      await startApp();
      expect(await users()).toMatchObject([{ username: 'admin', roles: [] }]);
    });

    it('takes name and password from the options', async () => {
      const root = await startApp({ defaultAdminUsername: 'root', defaultAdminPassword: 'cha\u00f1ged' });
      expect(root.logs.ours()).toContain('debug [auth] default administrator account created: root');
      expect((await login(root, 'root', 'cha\u00f1ged')).user).toMatchObject({ superAdmin: true });
    });

    it('does the work of the most expensive stored hash for every wrong password', async () => {
      // Nobody's password. The work of a hash is in its cost.
      const hashOf = (cost: number) => `$2b$${cost}$${'.'.repeat(53)}`;
      const save = (username: string, passwordHash: string) =>
        direct.getRepository(AuthUser).save({ username, nickname: '', passwordHash });
      await save('dear', hashOf(11));
      await save('far too dear', hashOf(16));
      await save('odd', '$argon2id$v=19$x');
      const one = await startApp({ login: { throttle: false } });
      const compare = jest.spyOn(bcrypt, 'compare');
      const workOf = async (username: string) => {
        compare.mockClear();
        expect((await login(one, username, 'wrong')).code).toBe(40110);
        return compare.mock.calls.reduce((sum, [, hash]) => sum + 2 ** bcrypt.getRounds(hash), 0);
      };
      for (const username of ['nobody', 'admin', 'dear', 'odd']) {
        expect([username, await workOf(username)]).toEqual([username, 2 ** 11]);
      }
      await save('dearer', hashOf(12));
      expect([await workOf('dearer'), await workOf('nobody')]).toEqual([2 ** 12, 2 ** 12]);
      compare.mockRestore();
      expect(one.logs.ours().filter((line) => line.startsWith('warn [auth] password'))).toEqual([]);
    });

    // SQLite has no collation that does more: `login.spec.ts`.
    if (isServer) {
      it('compares names exactly, whatever the collation of the database does', async () => {
        const one = await startApp({ login: { throttle: false } });
        for (const username of [
          'ADMIN',
          'Admin',
          'admin ',
          '\u00e0dmin',
          'adm\u0131n',
          'admin\0',
          "admin' -- ",
        ]) {
          expect([username, (await login(one, username)).code]).toEqual([username, 40110]);
        }
      });
    }
  });
}
