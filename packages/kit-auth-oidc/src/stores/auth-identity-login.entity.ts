import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A login with a provider, which the provider can end. */
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

  /** Its name in the options. */
  @Column({ type: 'varchar', length: 32 })
  provider!: string;

  @Column({ type: 'varchar', length: 255 })
  issuer!: string;

  /** The `sub` of the ID token, whatever claim identifies users. */
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
