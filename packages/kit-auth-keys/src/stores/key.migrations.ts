import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthApiKey } from './auth-api-key.entity.js';

/**
 * The entities of `kit-auth-keys`, for data sources without `autoLoadEntities`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as keyEntities } from 'kit-auth-keys/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...keyEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthApiKey];

export const KEY_TABLES: OwnTables = { entry: 'kit-auth-keys/typeorm', entities: kitAuthEntities };

class KitAuthKeys1795366800002 extends TablesMigration {
  override readonly name = 'KitAuthKeys1795366800002';
  protected override readonly tables = KEY_TABLES;
}

/** The migrations of `kit-auth-keys`. They create the table. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthKeys1795366800002];
