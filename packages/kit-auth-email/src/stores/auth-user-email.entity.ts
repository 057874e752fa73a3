import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Origin of an address:
 *
 * - `owner`: its owner, as a mail or a provider has proved: at a registration, or by a password reset
 * - `user`: the user of the account, who may not be its owner. The first reset of the password removes all factors
 * - `import`: the application, from accounts that it trusts
 * - `administrator`: an administrator of the application
 */
export type AddressSource = 'owner' | 'user' | 'import' | 'administrator';

/** The email address of a user. A user has at most one. */
@Entity({ name: 'auth_user_email' })
export class AuthUserEmail {
  /** The user id as a string, also for numeric ids. */
  @PrimaryColumn({ type: 'varchar', length: 128 })
  userId!: string;

  /** The address as the user typed it. Mails go here. */
  @Column({ type: 'varchar', length: 254 })
  address!: string;

  /** The address in lower case. */
  @Column({ type: 'varchar', length: 254, unique: true })
  addressKey!: string;

  /** When the user verified it, in milliseconds since 1970. Null until the address is verified. */
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  verifiedAt!: number | null;

  @Column({ type: 'varchar', length: 16, default: 'import' })
  source!: AddressSource;

  /** When a link to the address has reset the password, in milliseconds since 1970. Null without a reset. */
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  resetAt!: number | null;
}
