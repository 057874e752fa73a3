import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { kitAuthEntities as oneTimeEntities, kitAuthMigrations as oneTimeMigrations } from 'kit-auth/store';
import {
  AuthRole,
  AuthUser,
  isSqlite,
  junctionTable,
  kitAuthEntities,
  kitAuthMigrations,
} from 'kit-auth/typeorm';
import {
  kitAuthEntities as adminEntities,
  kitAuthMigrations as adminMigrations,
} from 'kit-auth-admin/typeorm';
import {
  kitAuthEntities as emailEntities,
  kitAuthMigrations as emailMigrations,
} from 'kit-auth-email/typeorm';
import {
  kitAuthEntities as factorEntities,
  kitAuthMigrations as factorMigrations,
} from 'kit-auth-factors/typeorm';
import { kitAuthEntities as keyEntities, kitAuthMigrations as keyMigrations } from 'kit-auth-keys/typeorm';
import {
  kitAuthEntities as identityEntities,
  kitAuthMigrations as identityMigrations,
} from 'kit-auth-oidc/typeorm';
import {
  kitAuthEntities as passkeyEntities,
  kitAuthMigrations as passkeyMigrations,
} from 'kit-auth-passkeys/typeorm';
import {
  AuthLogin,
  kitAuthEntities as refreshEntities,
  kitAuthMigrations as refreshMigrations,
} from 'kit-auth-refresh/typeorm';
import {
  AuthSession,
  kitAuthEntities as sessionEntities,
  kitAuthMigrations as sessionMigrations,
} from 'kit-auth-session/typeorm';
import {
  DataSource,
  type DataSourceOptions,
  DefaultNamingStrategy,
  type EntityTarget,
  type MigrationInterface,
  type QueryRunner,
  Table,
} from 'typeorm';

/** Renames columns and constraints. */
export class OwnNames extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return (customName ?? propertyName).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override indexName(...args: Parameters<DefaultNamingStrategy['indexName']>): string {
    return super.indexName(...args).replace('IDX', 'own');
  }
}

export type Naming = Pick<DataSourceOptions, 'entityPrefix' | 'namingStrategy'> & { schema?: string };

/** An empty database, made anew for each test. */
export interface EmptyDatabase {
  readonly options: () => DataSourceOptions;
  readonly recreate: () => Promise<unknown>;
}

export const ALL = {
  entities: [
    ...kitAuthEntities,
    ...oneTimeEntities,
    ...sessionEntities,
    ...refreshEntities,
    ...adminEntities,
    ...emailEntities,
    ...factorEntities,
    ...keyEntities,
    ...identityEntities,
    ...passkeyEntities,
  ],
  migrations: [
    ...kitAuthMigrations,
    ...oneTimeMigrations,
    ...sessionMigrations,
    ...refreshMigrations,
    ...adminMigrations,
    ...emailMigrations,
    ...factorMigrations,
    ...keyMigrations,
    ...identityMigrations,
    ...passkeyMigrations,
  ],
};

/** What migrations have to hold on every database. */
export function describeMigrations(name: string, database: EmptyDatabase, naming: Naming = {}): void {
  describe(`migrations on ${name}`, () => {
    let open: DataSource[];
    beforeEach(async () => {
      open = [];
      await database.recreate();
    });
    afterEach(async () => {
      await Promise.all(open.filter(({ isInitialized }) => isInitialized).map((one) => one.destroy()));
    });

    async function connect(more: Partial<DataSourceOptions>): Promise<DataSource> {
      const options = { ...database.options(), ...naming, ...more } as DataSourceOptions;
      const dataSource = await new DataSource(options).initialize();
      open.push(dataSource);
      return dataSource;
    }

    it.each(['all', 'none'] as const)(
      'add columns and constraints that tables lack, and let users of 0.1 be without a password, in transactions: %s',
      async (transaction) => {
        const dataSource = await connect(ALL);
        await dataSource.runMigrations();
        const logins = dataSource.getRepository(AuthLogin);
        await logins.insert({ ...LOGIN });
        await dropColumn(dataSource, AuthLogin, 'replays');
        if (transaction === 'all') {
          await dropConstraints(dataSource); // SQLite adds them in a transaction only
        }
        await requirePasswords(dataSource);
        const [users, roles] = [dataSource.getRepository(AuthUser), dataSource.getRepository(AuthRole)];
        const role = await roles.save({ code: 'reader', name: 'Reader', permissions: [] });
        await users.save({ ...ADA, roles: [role] });
        await expect(users.save({ ...BOB })).rejects.toThrow();
        await dropColumn(dataSource, AuthUser, 'usernameKey');
        expect(await drift(dataSource)).not.toEqual([]);
        await forgetMigrations(dataSource);
        await dataSource.runMigrations({ transaction });
        expect(await drift(dataSource)).toEqual([]);
        expect(await logins.find()).toMatchObject([{ ...LOGIN, replays: null }]);
        await users.save({ ...BOB });
        const select = { username: true, passwordHash: true } as const;
        const all = await users.find({ select, relations: { roles: true }, order: { id: 'ASC' } });
        expect(all).toMatchObject([
          { username: 'ada', passwordHash: 'a hash', roles: [{ code: 'reader' }] },
          { username: 'bob', passwordHash: null, roles: [] },
        ]);
      },
    );

    it('run in their order among migrations of the application', async () => {
      const dataSource = await connect({
        entities: kitAuthEntities,
        migrations: [OwnTable1795400000000, ...kitAuthMigrations],
      });
      expect((await dataSource.runMigrations()).map(({ name }) => name)).toEqual([
        'KitAuthUsers1795312800000',
        'OwnTable1795400000000',
        'KitAuthNoPassword1795651200000',
        'KitAuthDatabase1795942200000',
        'KitAuthUsernameKey1796000400000',
      ]);
      expect(await drift(dataSource)).toEqual([]);
    });

    it('add the tables of a package later, and can be run again', async () => {
      const first = await connect({ entities: kitAuthEntities, migrations: kitAuthMigrations });
      await first.runMigrations();
      await first.getRepository(AuthUser).save({ ...ADA });
      await first.destroy();
      const second = await connect(ALL);
      await second.runMigrations({ transaction: 'each' });
      expect(await drift(second)).toEqual([]);
      await forgetMigrations(second);
      await second.runMigrations({ transaction: 'none' });
      expect(await drift(second)).toEqual([]);
      expect(await second.getRepository(AuthUser).findOneByOrFail({ id: 1 })).toMatchObject({
        username: 'ada',
      });
    });

    it('create the tables, and can be reverted while they are empty', async () => {
      const dataSource = await connect(ALL);
      expect(await dataSource.runMigrations()).toHaveLength(ALL.migrations.length);
      expect(await drift(dataSource)).toEqual([]);
      expect(await dataSource.runMigrations()).toEqual([]);
      for (let left = ALL.migrations.length; left > 0; left--) {
        await dataSource.undoLastMigration();
      }
      const queryRunner = dataSource.createQueryRunner();
      for (const { tablePath } of dataSource.entityMetadatas) {
        expect([tablePath, await queryRunner.hasTable(tablePath)]).toEqual([tablePath, false]);
      }
      await queryRunner.release();
      await dataSource.runMigrations();
      expect(await drift(dataSource)).toEqual([]);
    });

    it('are not reverted while the tables have rows', async () => {
      const dataSource = await connect({ entities: kitAuthEntities, migrations: kitAuthMigrations });
      await dataSource.runMigrations();
      await dataSource.getRepository(AuthUser).save({ ...ADA });
      await dataSource.undoLastMigration(); // keys of usernames
      await dataSource.undoLastMigration(); // the table of the realm
      await dataSource.undoLastMigration(); // accounts without a password
      await expect(dataSource.undoLastMigration()).rejects.toThrow(/auth_user has rows/);
      expect(await dataSource.getRepository(AuthUser).count()).toBe(1);
    });
  });
}

/** A table that refers to `auth_user`. */
class OwnTable1795400000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const users = queryRunner.manager.getRepository(AuthUser).metadata;
    await queryRunner.createTable(
      new Table({
        name: 'note',
        columns: [
          { name: 'id', type: 'int', isPrimary: true },
          { name: 'owner', type: 'int' },
        ],
        foreignKeys: [
          { columnNames: ['owner'], referencedTableName: users.tablePath, referencedColumnNames: ['id'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('note');
  }
}

async function dropColumn(
  dataSource: DataSource,
  entity: EntityTarget<object>,
  property: string,
): Promise<void> {
  const metadata = dataSource.getMetadata(entity);
  const queryRunner = dataSource.createQueryRunner();
  // TypeORM copies the table on SQLite, and drops the old one with the rows that refer to it.
  const enforce = async (state: 'ON' | 'OFF') =>
    isSqlite(dataSource) ? queryRunner.query(`PRAGMA foreign_keys = ${state}`) : undefined;
  await enforce('OFF');
  await queryRunner.dropColumn(
    metadata.tablePath,
    metadata.findColumnWithPropertyName(property)!.databaseName,
  );
  await enforce('ON');
  await queryRunner.release();
}

async function dropConstraints(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  const tableOf = async (entity: EntityTarget<object>) =>
    (await queryRunner.getTable(dataSource.getMetadata(entity).tablePath))!;
  const { target } = junctionTable(dataSource, AuthUser, 'roles');
  const [users, sessions, roles] = [
    await tableOf(AuthUser),
    await tableOf(AuthSession),
    await tableOf(target),
  ];
  await queryRunner.dropForeignKeys(roles, roles.foreignKeys);
  await queryRunner.dropIndices(sessions, sessions.indices);
  await queryRunner.dropUniqueConstraints(users, users.uniques).catch(() => {
    // MySQL has unique indices instead.
    return queryRunner.dropIndices(users, users.indices);
  });
  await queryRunner.release();
}

const LOGIN = {
  id: 'one',
  userId: '1',
  createdAt: 1,
  lastSeenAt: 2,
  expiresAt: 3,
  factors: '{}',
  rotations: 4,
  family: 'sealed',
  current: 'a hash',
  previous: 'another hash',
  rotatedAt: 2,
  endedBy: null,
};
const ADA = { username: 'ada', nickname: 'Ada', passwordHash: 'a hash', status: 'ENABLED' as never };

const BOB = { username: 'bob', nickname: 'Bob' };

/** Makes the column of hashes as it was in version 0.1. */
async function requirePasswords(dataSource: DataSource): Promise<void> {
  const metadata = dataSource.getMetadata(AuthUser);
  const queryRunner = dataSource.createQueryRunner();
  const name = metadata.findColumnWithPropertyName('passwordHash')!.databaseName;
  const column = (await queryRunner.getTable(metadata.tablePath))!.findColumnByName(name)!;
  const required = column.clone();
  required.isNullable = false;
  await queryRunner.changeColumn(metadata.tablePath, column, required);
  await queryRunner.release();
}

/** The statements that would make the tables equal to the entities. */
async function drift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

async function forgetMigrations(dataSource: DataSource): Promise<void> {
  const { schema } = dataSource.options as Naming;
  await dataSource.query(`DELETE FROM ${schema === undefined ? '' : `${schema}.`}migrations`);
}
