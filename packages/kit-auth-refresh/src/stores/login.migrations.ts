import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthLogin } from './auth-login.entity.js';

/**
 * The entities of `kit-auth-refresh`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as refreshEntities } from 'kit-auth-refresh/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...refreshEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthLogin];

export const LOGIN_TABLES: OwnTables = { entry: 'kit-auth-refresh/typeorm', entities: kitAuthEntities };

class KitAuthLogins1795314600001 extends TablesMigration {
  override readonly name = 'KitAuthLogins1795314600001';
  protected override readonly tables = LOGIN_TABLES;
}

/** The migrations of `kit-auth-refresh`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthLogins1795314600001];
