import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthAudit } from './auth-audit.entity.js';

/**
 * The entities of `kit-auth-admin`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as adminEntities } from 'kit-auth-admin/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...adminEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthAudit];

export const AUDIT_TABLES: OwnTables = { entry: 'kit-auth-admin/typeorm', entities: kitAuthEntities };

class KitAuthAudit1795312800002 extends TablesMigration {
  override readonly name = 'KitAuthAudit1795312800002';
  protected override readonly tables = AUDIT_TABLES;
}

/** The migrations of `kit-auth-admin`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthAudit1795312800002];
