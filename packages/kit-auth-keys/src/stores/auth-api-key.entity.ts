import type { SessionEndReason } from 'kit-auth';
import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An API key. Times are milliseconds since 1970. */
@Entity({ name: 'auth_api_key' })
export class AuthApiKey {
  /** 13 random digits in base 36. They are part of the key. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  /** The SHA-256 hash of the key. The key itself is never stored. */
  @Column({ type: 'varchar', length: 64 })
  hash!: string;

  /** The permissions that the owner has given the key, as JSON. They are ASCII. */
  @Column({ type: 'text' })
  abilities!: string;

  /** Whether the login that created the key had shown a second factor. */
  @Column({ type: 'boolean', default: false })
  secondFactor!: boolean;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  /** When the key expires or was ended. Null for a key that never ends. */
  @Index()
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  expiresAt!: number | null;

  /** When the key was last used. May be five minutes behind. */
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  lastUsedAt!: number | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  lastAddress!: string | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  endedBy!: SessionEndReason | null;
}
