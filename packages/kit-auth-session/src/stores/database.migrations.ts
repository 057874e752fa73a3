import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthSession } from './auth-session.entity.js';

/**
 * The entities of `kit-auth-session`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as sessionEntities } from 'kit-auth-session/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...sessionEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthSession];

export const SESSION_TABLES: OwnTables = { entry: 'kit-auth-session/typeorm', entities: kitAuthEntities };

class KitAuthSessions1795312800001 extends TablesMigration {
  override readonly name = 'KitAuthSessions1795312800001';
  protected override readonly tables = SESSION_TABLES;
}

/** The migrations of `kit-auth-session`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthSessions1795312800001];
