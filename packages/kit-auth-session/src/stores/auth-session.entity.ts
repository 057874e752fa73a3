import { Column, Entity, Index, PrimaryColumn, type ValueTransformer } from 'typeorm';
import type { SessionEnd, StoredSession } from './session-store.js';

/** Drivers give 64-bit integers as text. */
const milliseconds: ValueTransformer = { to: (value: number) => value, from: Number };

/** A session in the application's own database. Holds no token, only what finds it. */
@Entity({ name: 'auth_session' })
@Index(['userId', 'createdAt'])
export class AuthSession {
  @PrimaryColumn({ type: 'varchar', length: 60 })
  id!: string;

  @Column({ type: 'integer' })
  userId!: number;

  @Column({ type: 'bigint', transformer: milliseconds })
  createdAt!: number;

  @Column({ type: 'bigint', transformer: milliseconds })
  lastSeenAt!: number;

  @Index()
  @Column({ type: 'bigint', transformer: milliseconds })
  expiresAt!: number;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  userAgent!: string | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  endedBy!: SessionEnd | null;
}

export function toStoredSession(row: AuthSession): StoredSession {
  return {
    id: row.id,
    userId: row.userId,
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
    expiresAt: row.expiresAt,
    address: row.address ?? undefined,
    userAgent: row.userAgent ?? undefined,
    endedBy: row.endedBy ?? undefined,
  };
}
