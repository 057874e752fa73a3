import { type OwnTables, TablesMigration, wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, type MigrationInterface, PrimaryColumn } from 'typeorm';

/** An identity at a provider, with which a user logs in. Times are milliseconds since 1970. */
@Entity({ name: 'auth_identity' })
export class AuthIdentity {
  /** The SHA-256 hash of issuer and subject, in hexadecimal. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** The name of the provider in the options. */
  @Column({ type: 'varchar', length: 32 })
  provider!: string;

  @Column({ type: 'varchar', length: 255 })
  issuer!: string;

  @Column({ type: 'varchar', length: 255 })
  subject!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  /** The email address when the identity was linked. Only shown: the provider may change it, or give it to others. */
  @Column({ type: 'varchar', length: 254, nullable: true })
  address!: string | null;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  lastUsedAt!: number | null;

  /** Counts the uses. */
  @Column({ type: 'int', default: 0 })
  version!: number;
}

/** A login with a provider. The provider can end it. */
@Entity({ name: 'auth_identity_login' })
@Index(['issuer', 'sid'])
@Index(['issuer', 'subject'])
export class AuthIdentityLogin {
  /** The id of the login, as in `SessionInfo.id`. */
  @PrimaryColumn({ name: 'loginId', type: 'varchar', length: 255 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  /** The name of the provider in the options. */
  @Column({ type: 'varchar', length: 32 })
  provider!: string;

  @Column({ type: 'varchar', length: 255 })
  issuer!: string;

  /** The `sub` of the ID token, even if another claim identifies users. */
  @Column({ type: 'varchar', length: 255 })
  subject!: string;

  /** The session at the provider. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  sid!: string | null;

  /** In milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;
}

/** A used logout token, or a logout that also ends logins that are not complete yet. */
@Entity({ name: 'auth_identity_logout' })
export class AuthIdentityLogout {
  /** The SHA-256 hash of issuer and `jti`, or of issuer, `sid` and `sub`, in hexadecimal. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** In milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;
}

/**
 * The entities of `kit-auth-oidc`, for data sources without `autoLoadEntities`. Also add those of `kit-auth/store`.
 *
 * @example
 * ```ts
 * import { kitAuthEntities } from 'kit-auth/typeorm';
 * import { kitAuthEntities as oneTimeEntities } from 'kit-auth/store';
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
