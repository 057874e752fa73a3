import { describe, expect, it } from '@jest/globals';
import { IllegalStateException, type KitAuthOptions } from 'kit-auth';
import { kitAuthEntities, kitAuthMigrations } from 'kit-auth/typeorm';
import {
  kitAuthEntities as adminEntities,
  kitAuthMigrations as adminMigrations,
} from 'kit-auth-admin/typeorm';
import { KitAuthKeysModule } from 'kit-auth-keys';
import {
  kitAuthEntities as sessionEntities,
  kitAuthMigrations as sessionMigrations,
} from 'kit-auth-session/typeorm';
import { sharedDatabase, TestApp, testApp, type TestAppOptions } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';

const SQLITE = { type: 'better-sqlite3', database: ':memory:' } as const;

describe('the tables of an application', () => {
  const withAll = { provider: 'session', admin: true } as const;

  it.each<[string, object]>([
    [
      'entities that a pattern finds, beside ours',
      {
        entities: [
          `${import.meta.dirname}/../../../demo/src/**/*.entity{.ts,.js}`,
          ...kitAuthEntities,
          ...sessionEntities,
          ...adminEntities,
        ],
      },
    ],
    ['autoLoadEntities', { autoLoadEntities: true }],
  ])('are created by our migrations, with %s', async (_, options) => {
    const migrations = [...kitAuthMigrations, ...sessionMigrations, ...adminMigrations];
    const app = await testApp({
      ...withAll,
      database: { ...SQLITE, ...options, migrations, migrationsRun: true } as never,
    });
    const token = await app.adminToken();
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
    expect((await app.call(token, 'GET', 'audit')).json.total).toBe(1);
  });
});

describe('start-up without', () => {
  async function failure(
    database: object,
    parts: Pick<TestAppOptions, 'provider' | 'admin' | 'imports'> = {},
  ): Promise<string> {
    const error = await testApp({ database: { ...SQLITE, ...database } as never, ...parts }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(IllegalStateException);
    return (error as Error).message;
  }
  const cure = (entry: string) =>
    `Add kitAuthMigrations of ${entry} to the migrations of the data source, and run them (migrationsRun: true, ` +
    'dataSource.runMigrations() or the TypeORM CLI). In development, synchronize: true also creates tables.';
  const withCore = { migrations: kitAuthMigrations, migrationsRun: true };

  it('the tables of several packages names all of them, and logs nothing about hashes before', async () => {
    const app = new TestApp({
      database: { ...SQLITE, autoLoadEntities: true } as never,
      provider: 'session',
      admin: true,
      imports: [KitAuthKeysModule],
    });
    const error: unknown = await app.start().catch((reason: unknown) => reason);
    const { message } = error as Error;
    const core = ['auth_user', 'auth_role', 'auth_user_role', 'auth_role_include'];
    for (const table of [...core, 'auth_audit', 'auth_api_key', 'auth_session']) {
      expect(message).toContain(`the table ${table} is missing`);
    }
    expect(message.match(/kit-auth[\w-]*\/typeorm/g)?.sort()).toEqual(
      ['kit-auth-admin', 'kit-auth-keys', 'kit-auth-session', 'kit-auth'].map((name) => `${name}/typeorm`),
    );
    expect(message).toMatch(
      / synchronize: true also creates tables\. Do the same for other packages: kit-auth/,
    );
    expect(app.logs.ours().filter((line) => line.includes('hashes'))).toEqual([]);
  });

  it('columns of a new version names them', async () => {
    const { options, recreate } = sharedDatabase('sqlite');
    await recreate();
    const entities = [...kitAuthEntities, ...sessionEntities];
    const earlier = await new DataSource({
      ...options,
      entities,
      synchronize: true,
    } as DataSourceOptions).initialize();
    await earlier.query('ALTER TABLE auth_session DROP COLUMN proof');
    await earlier.query('ALTER TABLE auth_session DROP COLUMN "successorId"');
    await earlier.destroy();
    expect(await failure({ ...options, synchronize: false }, { provider: 'session' })).toBe(
      `The database is not ready: the table auth_session lacks the columns proof, successorId. ${cure('kit-auth-session/typeorm')}`,
    );
  });

  it('tables is no problem while authentication is disabled, or the sessions are elsewhere', async () => {
    const start = (options: KitAuthOptions, database: object) =>
      testApp({
        database: { ...SQLITE, autoLoadEntities: true, ...database },
        session: { store: 'memory' },
        options,
      });
    await expect(start({ enabled: false }, {})).resolves.toBeDefined();
    await expect(start({}, withCore)).resolves.toBeDefined();
  });
});
