import type { MigrationInterface } from 'typeorm';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser } from './auth-user.entity.js';
import type { OwnTables } from '../../database/own-tables.js';
import { TablesMigration } from '../../database/tables.migration.js';

/**
 * The entities of `kit-auth`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * TypeOrmModule.forRoot({ entities: [`${__dirname}/**\/*.entity{.ts,.js}`, ...kitAuthEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthUser, AuthRole];

export const USER_TABLES: OwnTables = { entry: 'kit-auth/typeorm', entities: kitAuthEntities };

class KitAuthUsers1795312800000 extends TablesMigration {
  override readonly name = 'KitAuthUsers1795312800000';
  protected override readonly tables = USER_TABLES;
}

/**
 * The migrations of `kit-auth`. They create the tables.
 *
 * @example
 * ```ts
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities], migrations: [...kitAuthMigrations] });
 * ```
 */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthUsers1795312800000];
