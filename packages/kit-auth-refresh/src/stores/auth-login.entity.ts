import type { SessionEndReason } from 'kit-auth';
import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A login in the application's database. One row contains the hashes of all its refresh tokens. Times are milliseconds
 * since 1970.
 *
 * @example
 * new DataSource({ type: 'postgres', url, entities: [AuthUser, AuthRole, AuthLogin] })
 */
@Entity({ name: 'auth_login' })
@Index(['userId', 'createdAt'])
export class AuthLogin {
  @PrimaryColumn({ type: 'varchar', length: 60 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  /** The time of the login or of the last refresh. */
  @Column({ type: 'bigint', transformer: wholeNumber })
  lastSeenAt!: number;

  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  userAgent!: string | null;

  /** Proof of the login as JSON. A refresh does not change it. */
  @Column({ type: 'text', nullable: true })
  factors!: string | null;

  /** The secret that all tokens of the login share, sealed with `kit.auth.jwt.secret`. */
  @Column({ type: 'varchar', length: 32 })
  family!: string;

  /** The hash of the secret of the current token. */
  @Column({ type: 'varchar', length: 64 })
  current!: string;

  /** The hash of the secret of the previous token. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  previous!: string | null;

  /** The salt that derives the current secret from the previous one. Null if it was not derived from that. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  salt!: string | null;

  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  rotatedAt!: number | null;

  /** A hash of the address and the user agent that the last refresh came from. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  rotatedFrom!: string | null;

  /** Number of the generation: each rotation adds 1. After 2^31 - 1, it restarts at 0. */
  @Column({ type: 'integer' })
  rotations!: number;

  /** The last generation in which the previous secret was presented again. */
  @Column({ type: 'integer', nullable: true })
  replayedIn!: number | null;

  /** Number of generations in a row with a replay, up to `replayedIn`. */
  @Column({ type: 'integer', nullable: true })
  replays!: number | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  endedBy!: SessionEndReason | null;
}
