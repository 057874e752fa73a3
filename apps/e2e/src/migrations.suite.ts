import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  kitAuthEntities as oneTimeEntities,
  kitAuthMigrations as oneTimeMigrations,
} from 'kit-auth/one-time';
import { AuthRole, AuthUser, junctionTable, kitAuthEntities, kitAuthMigrations } from 'kit-auth/typeorm';
import {
  AuthAudit,
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
  type EntitySchema,
  type EntityTarget,
  type MigrationInterface,
  type QueryRunner,
  Table,
} from 'typeorm';
import { EARLIER_TABLES } from './earlier-tables.js';

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

const ALL = {
  entities: [
    ...[...kitAuthEntities, ...oneTimeEntities, ...sessionEntities, ...refreshEntities],
    ...[...adminEntities, ...emailEntities, ...factorEntities, ...keyEntities],
  ],
  migrations: [
    ...[...kitAuthMigrations, ...oneTimeMigrations, ...sessionMigrations, ...refreshMigrations],
    ...[...adminMigrations, ...emailMigrations, ...factorMigrations, ...keyMigrations],
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

    it('create the tables', async () => {
      const dataSource = await connect(ALL);
      expect(await dataSource.runMigrations()).toHaveLength(ALL.migrations.length);
      expect(await drift(dataSource)).toEqual([]);
      expect(await dataSource.runMigrations()).toEqual([]);
    });

    it.each(Object.entries(EARLIER_TABLES))('extend tables %s', async (_, entities) => {
      const earlier = await connect({ entities, synchronize: true });
      await insertRows(earlier, entities);
      await earlier.destroy();
      const dataSource = await connect({ ...ALL, migrationsRun: true });
      expect(await drift(dataSource)).toEqual([]);
      await expectRows(dataSource, entities);
    });

    it('extend tables without a transaction', async () => {
      const [entities] = Object.values(EARLIER_TABLES) as [EntitySchema[]];
      const earlier = await connect({ entities, synchronize: true });
      await insertRows(earlier, entities);
      await earlier.destroy();
      const dataSource = await connect(ALL);
      await dataSource.runMigrations({ transaction: 'none' });
      expect(await drift(dataSource)).toEqual([]);
      await expectRows(dataSource, entities);
    });

    it('add constraints that tables lack', async () => {
      const dataSource = await connect(ALL);
      await dataSource.runMigrations();
      await dropConstraints(dataSource);
      expect(await drift(dataSource)).not.toEqual([]);
      await forgetMigrations(dataSource);
      await dataSource.runMigrations();
      expect(await drift(dataSource)).toEqual([]);
    });

    it('run in their order among migrations of the application', async () => {
      const dataSource = await connect({
        entities: kitAuthEntities,
        migrations: [OwnTable1795400000000, ...kitAuthMigrations],
      });
      expect((await dataSource.runMigrations()).map(({ name }) => name)).toEqual([
        'KitAuthUsers1795312800000',
        'OwnTable1795400000000',
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

    it('can be reverted while the tables are empty', async () => {
      const dataSource = await connect(ALL);
      await dataSource.runMigrations();
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

    it('make the ids of users numbers again, unless they are other texts', async () => {
      const migrations = sessionMigrations;
      const dataSource = await connect({ entities: sessionEntities, migrations });
      await dataSource.runMigrations();
      const sessions = dataSource.getRepository(AuthSession);
      const session = { id: 'one', userId: '12', createdAt: 1, lastSeenAt: 2, expiresAt: 3 };
      await sessions.insert([session, { ...session, id: 'two', userId: randomUUID() }]);
      await dataSource.undoLastMigration(); // of successors
      await expect(dataSource.undoLastMigration()).rejects.toThrow(/no numbers/);
      expect(await sessions.count()).toBe(2);
      await sessions.delete('two');
      await dataSource.undoLastMigration();
      expect(await drift(dataSource)).not.toEqual([]);
      await dataSource.runMigrations();
      expect(await drift(dataSource)).toEqual([]);
      expect(await sessions.find()).toMatchObject([session]);
    });

    it('are not reverted while the tables have rows', async () => {
      const dataSource = await connect({ entities: kitAuthEntities, migrations: kitAuthMigrations });
      await dataSource.runMigrations();
      await dataSource.getRepository(AuthUser).save({ ...ADA });
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
  ...{ id: 'one', userId: '1', createdAt: 1, lastSeenAt: 2, expiresAt: 3, factors: '{}', rotations: 4 },
  ...{ family: 'sealed', current: 'a hash', previous: 'another hash', rotatedAt: 2, endedBy: null },
};
const ADA = { username: 'ada', nickname: 'Ada', passwordHash: 'a hash', status: 'ENABLED' as never };

/** The statements that would make the tables equal to the entities. */
async function drift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

async function forgetMigrations(dataSource: DataSource): Promise<void> {
  const { schema } = dataSource.options as Naming;
  await dataSource.query(`DELETE FROM ${schema === undefined ? '' : `${schema}.`}migrations`);
}

const has = (entities: readonly EntitySchema[], name: string) =>
  entities.some(({ options }) => options.name === name);

async function insertRows({ manager }: DataSource, entities: readonly EntitySchema[]): Promise<void> {
  const reader = await manager.save('Role', {
    code: 'reader',
    name: 'Reader',
    permissions: '["note:read"]',
    includes: [],
  });
  const editor = await manager.save('Role', { code: 'editor', name: 'Editor', includes: [reader] });
  await manager.save('User', { ...ADA, roles: [editor, reader] });
  await manager.save('User', { ...ADA, username: 'bob', status: 'DISABLED', roles: [reader] });
  if (has(entities, 'Session')) {
    const session = { id: 'one', userId: 1, createdAt: 1, lastSeenAt: 2, expiresAt: 3, endedBy: 'kicked' };
    await manager.insert('Session', session);
    await manager.insert('Session', { ...session, id: 'two', userId: 2 ** 31 - 1, address: '::1' });
  }
  if (has(entities, 'Login')) {
    await manager.insert('Login', LOGIN);
  }
  if (has(entities, 'Audit')) {
    await manager.insert('Audit', { type: 'login', at: 4, success: true, actorId: 1, actor: 'ada' });
    await manager.insert('Audit', { type: 'login', at: 5, success: false, subjectId: 2, subject: 'bob' });
  }
}

/** The rows of `insertRows()`, read with the entities of today. */
async function expectRows({ manager }: DataSource, entities: readonly EntitySchema[]): Promise<void> {
  const order = { id: 'ASC' } as const;
  const roles = await manager.find(AuthRole, { order, relations: { includes: true } });
  expect(roles).toMatchObject([
    { code: 'reader', permissions: ['note:read'], includes: [] },
    { code: 'editor', permissions: null, includes: has(entities, 'Session') ? [{ code: 'reader' }] : [] },
  ]);
  const users = await manager.find(AuthUser, { order, relations: { roles: true } });
  const state = { nickname: 'Ada', mustChangePassword: false, lastLoginAt: null };
  expect(users).toMatchObject([
    { ...state, username: 'ada', status: 'ENABLED' },
    { ...state, username: 'bob', status: 'DISABLED', roles: [{ code: 'reader' }] },
  ]);
  expect(users[0]!.roles).toHaveLength(2);
  if (has(entities, 'Session')) {
    const session = { createdAt: 1, lastSeenAt: 2, expiresAt: 3, endedBy: 'kicked', proof: null };
    const sessions = await manager.find(AuthSession, { order });
    expect(sessions).toMatchObject([
      { ...session, id: 'one', sparedId: null },
      { ...session, id: 'two', sparedEndedAt: null, address: '::1' },
    ]);
    expect(sessions.map(({ userId }) => userId)).toEqual(['1', String(2 ** 31 - 1)]);
  }
  if (has(entities, 'Login')) {
    expect(await manager.find(AuthLogin)).toMatchObject([{ ...LOGIN, replayedIn: null, replays: null }]);
  }
  if (has(entities, 'Audit')) {
    const events = await manager.find(AuthAudit, { order });
    expect(events).toMatchObject([
      { type: 'login', at: new Date(4), success: true, actor: 'ada', subjectId: null },
      { type: 'login', at: new Date(5), success: false, subject: 'bob', actorId: null },
    ]);
    expect([events[0]!.actorId, events[1]!.subjectId].map(String)).toEqual(['1', '2']);
  }
}
