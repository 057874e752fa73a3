import { userIdFrom } from 'kit-auth/login';
import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SessionEnd, SparedSession, StoredSession } from './session-store.js';

/**
 * A session in the application's database. It contains a hash of the token. Times are milliseconds since 1970.
 *
 * @example
 * new DataSource({ type: 'postgres', url, entities: [AuthUser, AuthRole, AuthSession] })
 */
@Entity({ name: 'auth_session' })
@Index(['userId', 'createdAt'])
export class AuthSession {
  @PrimaryColumn({ type: 'varchar', length: 60 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  @Column({ type: 'bigint', transformer: wholeNumber })
  lastSeenAt!: number;

  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  userAgent!: string | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  endedBy!: SessionEnd | null;

  /** The proof of the login, as JSON. */
  @Column({ type: 'text', nullable: true })
  proof!: string | null;

  /** This and the next two columns store ends of all sessions of a user (`SparedSession`). */
  @Column({ type: 'varchar', length: 60, nullable: true })
  sparedId!: string | null;

  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  sparedEndedAt!: number | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  sparedEndedBy!: SessionEnd | null;

  /** The session that replaced this one (`SessionStore.replace`). */
  @Column({ type: 'varchar', length: 60, nullable: true })
  successorId!: string | null;
}

type OptionalColumn = 'proof' | 'successorId' | 'sparedId' | 'sparedEndedAt' | 'sparedEndedBy';
export type SessionRow = Omit<AuthSession, OptionalColumn> & Partial<Pick<AuthSession, OptionalColumn>>;

/** The row of a session, with all columns. */
export function toRow(session: StoredSession): AuthSession {
  const { spared, ...columns } = session;
  return {
    ...columns,
    userId: String(session.userId),
    address: session.address ?? null,
    userAgent: session.userAgent ?? null,
    endedBy: session.endedBy ?? null,
    proof: session.proof ?? null,
    sparedId: spared?.id ?? null,
    sparedEndedAt: spared?.endedAt ?? null,
    sparedEndedBy: spared?.endedBy ?? null,
    successorId: session.successorId ?? null,
  };
}

/** @param row may lack the columns that a look-up does not read */
export function toStoredSession(row: SessionRow): StoredSession {
  return {
    id: row.id,
    userId: userIdFrom(row.id, row.userId),
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
    expiresAt: row.expiresAt,
    address: row.address ?? undefined,
    userAgent: row.userAgent ?? undefined,
    endedBy: row.endedBy ?? undefined,
    proof: row.proof ?? undefined,
    successorId: row.successorId ?? undefined,
    spared: sparedBy(row),
  };
}

function sparedBy({ sparedId, sparedEndedAt, sparedEndedBy }: SessionRow): SparedSession | undefined {
  return typeof sparedId === 'string'
    ? { id: sparedId, endedAt: sparedEndedAt ?? 0, endedBy: sparedEndedBy ?? undefined }
    : undefined;
}
