import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A device with an authenticator app. Times are milliseconds since 1970. */
@Entity({ name: 'auth_totp' })
export class AuthTotp {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  /** Encrypted with one of `kit.auth.factors.keys`. */
  @Column({ type: 'varchar', length: 255 })
  secret!: string;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  /** Time of the first code. Null until then: the device does not count yet. */
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  confirmedAt!: number | null;

  /** The time step of the last accepted code. Codes of this step and of earlier ones are refused. */
  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  lastStep!: number | null;

  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  lastUsedAt!: number | null;
}

/** An unused recovery code. Times are milliseconds since 1970. */
@Entity({ name: 'auth_recovery_code' })
export class AuthRecoveryCode {
  /** The SHA-256 hash of the user's id and the code. The code itself is never stored. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;
}
