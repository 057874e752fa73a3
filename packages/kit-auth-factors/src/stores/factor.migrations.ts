import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthRecoveryCode, AuthTotp } from './factor.entities.js';

/**
 * The entities of `kit-auth-factors`, for data sources without `autoLoadEntities`. Also add those of
 * `kit-auth/store`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/store';
 * import { kitAuthEntities as factorEntities } from 'kit-auth-factors/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...oneTimeEntities, ...factorEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthTotp, AuthRecoveryCode];

export const FACTOR_TABLES: OwnTables = { entry: 'kit-auth-factors/typeorm', entities: kitAuthEntities };

class KitAuthFactors1795363200002 extends TablesMigration {
  override readonly name = 'KitAuthFactors1795363200002';
  protected override readonly tables = FACTOR_TABLES;
}

/** The migrations of `kit-auth-factors`. They create the tables. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthFactors1795363200002];
