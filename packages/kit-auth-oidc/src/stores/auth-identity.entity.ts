import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
