import { type OwnTables, TablesMigration } from 'kit-auth/typeorm';
import type { MigrationInterface } from 'typeorm';
import { AuthIdentityLogin } from './auth-identity-login.entity.js';
import { AuthIdentityLogout } from './auth-identity-logout.entity.js';
import { AuthIdentity } from './auth-identity.entity.js';

/**
 * The entities of `kit-auth-oidc`, for data sources without `autoLoadEntities`. Also add those of `kit-auth/one-time`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/one-time';
 * import { kitAuthEntities as oidcEntities } from 'kit-auth-oidc/typeorm';
 *
 * new DataSource({ type: 'postgres', url, entities: [...kitAuthEntities, ...oneTimeEntities, ...oidcEntities] });
 * ```
 */
export const kitAuthEntities: (new () => object)[] = [AuthIdentity, AuthIdentityLogin, AuthIdentityLogout];

export const IDENTITY_TABLES: OwnTables = { entry: 'kit-auth-oidc/typeorm', entities: kitAuthEntities };

class KitAuthOidc1795737600001 extends TablesMigration {
  override readonly name = 'KitAuthOidc1795737600001';
  protected override readonly tables = IDENTITY_TABLES;
}

/** The migrations of `kit-auth-oidc`. They create the tables. */
export const kitAuthMigrations: (new () => MigrationInterface)[] = [KitAuthOidc1795737600001];
