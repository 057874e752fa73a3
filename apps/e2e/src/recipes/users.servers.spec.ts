import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, type AuthUserStore, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { describeUserStore } from 'kit-auth-testing';
import { PASSWORD, sharedDatabase, TestApp, sharedTestApp } from 'test-support';
import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import { UsersModule } from './users.module.js';

/** The table, as the guide prints it. */
const GUIDE = readFileSync('docs/guides/extend/user-store.md', 'utf8');
const [, TABLE] = /```sql\n(create table app_user .*?)```/s.exec(GUIDE)!;

describe('users in a table of their own', () => {
  const database = sharedDatabase('postgres');
  let pool: Pool;
  class UsersApp extends TestApp {
    override async create(): Promise<this> {
      await database.recreate();
      const { url } = database.options as { url: string };
      process.env['DATABASE_URL'] = url;
      pool = new Pool({ connectionString: url });
      await pool.query(TABLE!);
      return super.create();
    }

    override async close(): Promise<void> {
      await pool.end();
      await super.close();
    }
  }
  const app = sharedTestApp(
    new UsersApp({
      database: false,
      core: KitAuthModule.forRoot({ users: UsersModule, password: { cost: 10 }, jwt: { checkStamp: 0 } }),
      provider: KitAuthJwtModule,
    }),
  );
  const insert = async (email: string, hash: string, active = true): Promise<number> => {
    const values = [email, email, hash, active, 'first', ['editor'], ['note:read']];
    const { rows } = await pool.query<{ id: number }>(
      `insert into app_user (email, name, password_hash, active, stamp, roles, permissions)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      values,
    );
    return rows[0]!.id;
  };
  let hash: string;
  beforeAll(async () => {
    hash = await bcrypt.hash(PASSWORD, 10);
  });

  describeUserStore(
    'pg',
    { methods: ['stampOf', 'noteLogin', 'changePassword', 'ensureAdministrator'] },
    () => ({
      store: app.get<AuthUserStore>(AUTH_USER_STORE),
      createUser: ({ username, passwordHash, enabled }) => insert(username, passwordHash, enabled),
    }),
  );

  it('log in, and change their password', async () => {
    await insert('ada@example.org', hash);
    const token = await app.tokenOf('ada@example.org');
    expect((await app.call(token, 'GET', 'me')).json).toMatchObject({ username: 'ada@example.org' });
    const json = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    expect((await app.call(token, 'POST', 'password', json)).status).toBe(204);
    expect(await app.stateOf(token)).toBe('40101 revoked');
    expect((await app.login('ada@example.org')).json.code).toBe(40110);
    expect(await app.stateOf(await app.tokenOf('ada@example.org', json.newPassword))).toBe('live');
  });

  it('have the default administrator among them', async () => {
    expect(await app.stateOf(await app.adminToken())).toBe('live');
  });

  it('are the only users: there is no other table', async () => {
    const { rows } = await pool.query(
      `select table_name from information_schema.tables where table_schema = 'public'`,
    );
    expect(rows).toEqual([{ table_name: 'app_user' }]);
  });
});
