import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthUserEmail } from './auth-user-email.entity.js';

/**
 * The entities of `kit-auth-email`, for data sources without `autoLoadEntities`. Also add those of `kit-auth/store`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/store';
 * import { kitAuthEntities as emailEntities } from 'kit-auth-email/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...oneTimeEntities, ...emailEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthUserEmail];

export const ADDRESS_TABLES: OwnTables = { entry: 'kit-auth-email/typeorm', entities: kitAuthEntities };

class KitAuthEmail1795359600002 extends TablesMigration {
  override readonly name = 'KitAuthEmail1795359600002';
  protected override readonly tables = ADDRESS_TABLES;
}

/** The migrations of `kit-auth-email`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthEmail1795359600002];
