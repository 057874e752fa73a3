import type { MigrationInterface } from 'typeorm';
import type { OwnTables } from '../../typeorm/database/own-tables.js';
import { TablesMigration } from '../../typeorm/database/tables.migration.js';
import { AuthOneTime } from './auth-one-time.entity.js';

/**
 * The entities of `kit-auth/store`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/store';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...oneTimeEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthOneTime];

export const ONE_TIME_TABLES: OwnTables = { entry: 'kit-auth/store', entities: kitAuthEntities };

class KitAuthOneTime1795359600001 extends TablesMigration {
  override readonly name = 'KitAuthOneTime1795359600001';
  protected override readonly tables = ONE_TIME_TABLES;
}

/** The migrations of `kit-auth/store`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthOneTime1795359600001];
