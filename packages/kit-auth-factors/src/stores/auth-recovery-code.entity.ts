import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
