import { type OwnTables, TablesMigration, TextColumnsMigration } from 'kit-auth/typeorm';
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

/** Users of other stores have texts as ids. */
class KitAuthSessionUsers1795313400001 extends TextColumnsMigration {
  override readonly name = 'KitAuthSessionUsers1795313400001';
  protected override readonly table = SESSION_TABLES;
  protected override readonly properties = ['userId'];
}

/** Logins that are confirmed replace their sessions. */
class KitAuthSessionSuccessors1795345200001 extends TablesMigration {
  override readonly name = 'KitAuthSessionSuccessors1795345200001';
  protected override readonly tables = SESSION_TABLES;

  /** The column stays: earlier versions ignore it. */
  override async down(): Promise<void> {}
}

/** The migrations of `kit-auth-session`. They create the table, and bring tables of earlier versions up to date. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [
  KitAuthSessions1795312800001,
  KitAuthSessionUsers1795313400001,
  KitAuthSessionSuccessors1795345200001,
];
