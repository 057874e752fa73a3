import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
}
