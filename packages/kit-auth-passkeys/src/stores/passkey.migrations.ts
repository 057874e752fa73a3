import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthPasskey, AuthPasskeyUser } from './auth-passkey.entity.js';

/**
 * The entities of `kit-auth-passkeys`, for data sources without `autoLoadEntities`. Also add the
 * entities of `kit-auth/store`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/store';
 * import { kitAuthEntities as passkeyEntities } from 'kit-auth-passkeys/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...oneTimeEntities, ...passkeyEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthPasskey, AuthPasskeyUser];

export const PASSKEY_TABLES: OwnTables = { entry: 'kit-auth-passkeys/typeorm', entities: kitAuthEntities };

class KitAuthPasskeys1795654800001 extends TablesMigration {
  override readonly name = 'KitAuthPasskeys1795654800001';
  protected override readonly tables = PASSKEY_TABLES;
}

/** The migrations of `kit-auth-passkeys`. They create the tables. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthPasskeys1795654800001];
