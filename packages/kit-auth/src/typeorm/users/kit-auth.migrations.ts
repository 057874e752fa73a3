import type { DataSource, EntityMetadata, MigrationInterface, QueryRunner, TableColumn } from 'typeorm';
import { AuthDatabase } from './auth-database.entity.js';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser } from './auth-user.entity.js';
import { dataSourceOf, isSqlite } from '../database/data-source.js';
import { escapedPath, type OwnTables } from '../database/own-tables.js';
import { TablesMigration } from '../database/tables.migration.js';

/**
 * The entities of `kit-auth`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * TypeOrmModule.forRoot({ entities: [`${__dirname}/**\/*.entity{.ts,.js}`, ...kitAuthEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthUser, AuthRole, AuthDatabase];

export const USER_TABLES: OwnTables = { entry: 'kit-auth/typeorm', entities: [AuthUser, AuthRole] };

const DATABASE_TABLE: OwnTables = { ...USER_TABLES, entities: [AuthDatabase] };

/** Only sessions in Redis need `auth_database`, so a data source may name the entities of the users alone. */
export function userTablesIn(dataSource: DataSource): OwnTables {
  return dataSource.hasMetadata(AuthDatabase) ? { ...USER_TABLES, entities: kitAuthEntities } : USER_TABLES;
}

class KitAuthUsers1795312800000 extends TablesMigration {
  override readonly name = 'KitAuthUsers1795312800000';
  protected override readonly tables = USER_TABLES;
}

/** Accounts without a password have no hash. */
class KitAuthNoPassword1795651200000 implements MigrationInterface {
  readonly name = 'KitAuthNoPassword1795651200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const metadata = dataSourceOf(queryRunner.manager).getMetadata(AuthUser);
    const name = metadata.findColumnWithPropertyName('passwordHash')?.databaseName ?? '';
    const column = (await queryRunner.getTable(metadata.tablePath))?.findColumnByName(name);
    if (column?.isNullable === false) {
      await allowNull(queryRunner, metadata, column);
    }
  }

  /** Changes nothing: the version before can use the column as it is. */
  async down(): Promise<void> {}
}

/** `auth_database`, for databases that have the other tables already. */
class KitAuthDatabase1795942200000 extends TablesMigration {
  override readonly name = 'KitAuthDatabase1795942200000';
  protected override readonly tables = DATABASE_TABLE;

  override async up(queryRunner: QueryRunner): Promise<void> {
    if (dataSourceOf(queryRunner.manager).hasMetadata(AuthDatabase)) {
      await super.up(queryRunner);
    }
  }

  override async down(queryRunner: QueryRunner): Promise<void> {
    if (dataSourceOf(queryRunner.manager).hasMetadata(AuthDatabase)) {
      await super.down(queryRunner);
    }
  }
}

/** `auth_user.usernameKey`. Existing accounts get none: some may have names that differ in case only. */
class KitAuthUsernameKey1796000400000 extends TablesMigration {
  override readonly name = 'KitAuthUsernameKey1796000400000';
  protected override readonly tables: OwnTables = { ...USER_TABLES, entities: [AuthUser] };

  /** Changes nothing: the version before ignores the column. */
  override async down(): Promise<void> {}
}

async function allowNull(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  column: TableColumn,
): Promise<void> {
  const dataSource = dataSourceOf(queryRunner.manager);
  if (!isSqlite(dataSource)) {
    const nullable = column.clone();
    nullable.isNullable = true;
    await queryRunner.changeColumn(metadata.tablePath, column, nullable);
    return;
  }
  // TypeORM would drop the table, which deletes the rows that refer to it while SQLite enforces foreign keys.
  const alter = `ALTER TABLE ${escapedPath(dataSource, metadata)}`;
  const [kept, former] = [column.name, `${column.name}_former`].map((name) => dataSource.driver.escape(name));
  await queryRunner.manager.transaction(async () => {
    await queryRunner.query(`${alter} RENAME COLUMN ${kept} TO ${former}`);
    await queryRunner.query(`${alter} ADD COLUMN ${kept} ${dataSource.driver.createFullType(column)}`);
    await queryRunner.query(`UPDATE ${escapedPath(dataSource, metadata)} SET ${kept} = ${former}`);
    await queryRunner.query(`${alter} DROP COLUMN ${former}`);
  });
}

/**
 * The migrations of `kit-auth`. They create the tables, and change older ones.
 *
 * @example
 * ```ts
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities], migrations: [...kitAuthMigrations] });
 * ```
 */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [
  KitAuthUsers1795312800000,
  KitAuthNoPassword1795651200000,
  KitAuthDatabase1795942200000,
  KitAuthUsernameKey1796000400000,
];
