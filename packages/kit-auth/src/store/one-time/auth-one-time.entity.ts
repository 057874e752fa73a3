import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { wholeNumber } from '../../typeorm/database/data-source.js';

/** A token that works once, such as the token in a mailed link. Times are milliseconds since 1970. */
@Entity({ name: 'auth_one_time' })
@Index(['purpose', 'subject'])
export class AuthOneTime {
  /** The SHA-256 hash of the token. The token itself is never stored. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  @Column({ type: 'varchar', length: 32 })
  purpose!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128, nullable: true })
  userId!: string | null;

  /** The subject of the token besides the user, for example an address. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  subject!: string | null;

  /** JSON. */
  @Column({ type: 'text', nullable: true })
  data!: string | null;

  /** A hash of the user's security stamp when the token was issued. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  stamp!: string | null;

  @Column({ type: 'int', default: 0 })
  attempts!: number;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;
}
