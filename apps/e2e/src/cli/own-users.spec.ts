import { beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, type AuthUserStore, KitAuthModule } from 'kit-auth';
import {
  moduleOf,
  PASSWORD,
  PlainUsersModule,
  sharedDatabase,
  testApp,
  type TestApp,
  type TestAppOptions,
} from 'test-support';
import { type Cli, cliOf } from './app.js';
import { OwnUsers } from '../users/own-users.js';

const NEXT = 'another right one 4712';

const cliWith = async (options: TestAppOptions) => cliOf(await moduleOf(options));

describe('kit-auth user with a user store of the application', () => {
  let app: TestApp;
  let run: Cli;
  let users: OwnUsers;
  beforeAll(async () => {
    users = new OwnUsers();
    const hash = bcrypt.hashSync(PASSWORD, 4);
    users.insert({ id: 'usr_ada', name: 'ada', hash, roles: '["editor"]' });
    users.insert({ id: 'usr_bob', name: 'bob', hash });
    @Module({ providers: [{ provide: AUTH_USER_STORE, useValue: users }] })
    class SharedUsersModule {}
    const core = KitAuthModule.forRoot({ users: SharedUsersModule, password: { cost: 10 } });
    const options = { core, database: false } as const;
    app = await testApp(options);
    run = await cliWith(options);
  });

  it('lists and disables users, and sets passwords', async () => {
    const { code, stdout } = await run('user list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^usr_ada +ada +ada +enabled +editor +-$/m);
    const changed = await run('user password --json', ['bob'], NEXT);
    expect(changed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('mustChange') });
    expect(JSON.parse(changed.stdout)).toMatchObject({ mustChange: false });
    expect((await app.login('bob', NEXT)).status).toBe(200);
    const { stderr } = await run('user password --must-change', ['ada'], NEXT);
    expect(stderr).toContain('OwnUsers does not store mustChange: ada can keep the password.');
    expect(await run('user disable', ['bob'])).toMatchObject({ code: 0 });
    expect((await app.login('bob', NEXT)).json.code).toBe(40111);
    expect(await run('user disable --enable', ['bob'])).toMatchObject({ code: 0 });
    expect((await app.login('bob', NEXT)).status).toBe(200);
  });

  it('names the methods that are missing', async () => {
    const core = KitAuthModule.forRoot({ users: PlainUsersModule });
    const plain = await cliWith({ core, database: false });
    for (const [command, missing] of [
      ['user create', 'findByUsername, createUser'],
      ['user password', 'findByUsername, changePassword'],
      ['user disable --enable', 'findByUsername, enableUser'],
      ['sessions list', 'findByUsername'],
      ['user list', 'listUsers'],
    ] as const) {
      const { code, stderr } = await plain(command, command === 'user list' ? [] : ['eve']);
      expect(code).toBe(1);
      expect(stderr).toContain(`needs a user store with the method ${missing}, which PlainUsers lacks.`);
    }
  });

  it('says that it has roles of its own', async () => {
    for (const [command, args] of [
      ['role list', []],
      ['role grant', ['ada', 'editor']],
      ['user roles', ['ada']],
    ] as const) {
      expect(await run(command, args)).toEqual({
        code: 1,
        stdout: '',
        stderr:
          `kit-auth: kit-auth ${command} manages the default user store, with the tables auth_user and auth_role. This ` +
          'application has its own, OwnUsers: change roles where it keeps them.\n',
      });
    }
  });

  it('does not list the same page for ever', async () => {
    const page = [{ id: 7, username: 'x', nickname: 'x', enabled: true, roles: [] }];
    const store: AuthUserStore = { loadLoginUser: async () => undefined, listUsers: async () => page };
    @Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })
    class PagelessModule {}
    const pageless = await cliWith({
      core: KitAuthModule.forRoot({ users: PagelessModule }),
      database: false,
    });
    const { code, stderr } = await pageless('user list');
    expect(code).toBe(1);
    expect(stderr).toContain('listUsers() returns the same page again: it ignores page.after.');
  });
});

describe('kit-auth user with a database that is not ready', () => {
  it('says which table is missing, and what looks for the rest', async () => {
    const database = { ...sharedDatabase('sqlite').options, synchronize: false } as const;
    const run = await cliWith({ database });
    const { code, stdout, stderr } = await run('user create', ['ada'], PASSWORD);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      'no such table: auth_user\n`kit-auth doctor` checks the database, its tables and the keys of issuers.',
    );
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
