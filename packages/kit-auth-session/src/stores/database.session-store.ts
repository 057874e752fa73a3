import type { UserId } from 'kit-auth';
import { Deadline } from 'kit-auth/tools';
import {
  DatabaseTransactions,
  type LoadJoined,
  LoginRows,
  type LoginUserLoader,
  PackageDatabase,
} from 'kit-auth/typeorm';
import { type DataSource, IsNull, LessThan } from 'typeorm';
import { AuthSession, type SessionRow, toRow, toStoredSession } from './auth-session.entity.js';
import { DatabaseEnds } from './database.ends.js';
import { SESSION_TABLES } from './database.migrations.js';
import {
  type EndOfAll,
  REMEMBERED_MS,
  type Session,
  type SessionEnd,
  type SessionLimit,
  type SessionStore,
  type StoredSession,
} from './session-store.js';

const TIMEOUT_MS = 900;

const COLUMNS = [
  'id',
  'userId',
  'createdAt',
  'lastSeenAt',
  'expiresAt',
  'address',
  'userAgent',
  'endedBy',
] as const;
const SPARED_COLUMNS = ['sparedId', 'sparedEndedAt', 'sparedEndedBy'] as const;

/**
 * Stores sessions in the application's data source, in the table `auth_session`. With the default user store, a session
 * and its user are loaded with one statement, and ends of sessions are part of the changes that cause them.
 */
export class DatabaseSessionStore implements SessionStore {
  readonly endsInTransaction: boolean;
  readonly findWithUser?: Required<SessionStore>['findWithUser'];
  private readonly deadline = new Deadline('the session database', TIMEOUT_MS);
  private readonly transactions: DatabaseTransactions;
  private readonly rows: LoginRows<AuthSession>;
  private readonly ends: DatabaseEnds;
  private readonly database: PackageDatabase;
  private findOne: LoadJoined<SessionRow> | undefined;
  private findTwo: LoadJoined<SessionRow> | undefined;

  /** @param users the default user store. Undefined with another one */
  constructor(dataSource: DataSource, users?: LoginUserLoader) {
    this.endsInTransaction = users !== undefined;
    if (users !== undefined) {
      this.findWithUser = (userId, ids) => this.loadWithUser(users, userId, ids);
    }
    this.database = new PackageDatabase('sessions', SESSION_TABLES, dataSource);
    this.transactions = new DatabaseTransactions(dataSource, this.deadline);
    this.rows = new LoginRows(this.transactions, AuthSession);
    this.ends = new DatabaseEnds(this.transactions, this.rows);
  }

  open(): Promise<void> {
    return this.database.open();
  }

  async create(session: Session, limit?: SessionLimit): Promise<boolean> {
    const row = toRow({ ...session, endedBy: undefined });
    const replaced = await this.rows.add(row, limit);
    replaced?.forEach((id) => limit?.ended?.(id));
    return replaced !== undefined;
  }

  replace(formerId: string, session: Session): Promise<boolean> {
    return this.ends.replace(formerId, session);
  }

  keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    return this.ends.keepFirstEnd(end);
  }

  async find(id: string): Promise<StoredSession | undefined> {
    const row = await this.rows.find(id);
    return row && toStoredSession(row);
  }

  private loadWithUser(
    users: LoginUserLoader,
    userId: UserId,
    ids: readonly string[],
  ): ReturnType<Required<SessionStore>['findWithUser']> {
    const load =
      ids.length === 1
        ? (this.findOne ??= users.prepareJoin(AuthSession, 'id', [...COLUMNS, 'proof']))
        : (this.findTwo ??= users.prepareJoin(AuthSession, 'id', [...COLUMNS, ...SPARED_COLUMNS]));
    return this.deadline
      .within(() => load(userId, ids))
      .then(({ rows, user }) => ({ user, sessions: rows.map((row) => row && toStoredSession(row)) }));
  }

  async keepEnd(end: StoredSession): Promise<void> {
    await this.transactions.write((manager) => manager.upsert(AuthSession, toRow(end), ['id']));
  }

  keepEndOfAll(end: EndOfAll): Promise<void> {
    return this.ends.keepEndOfAll(end);
  }

  async touch(id: string, at: number): Promise<void> {
    await this.transactions.write((manager) =>
      manager.update(AuthSession, { id, endedBy: IsNull(), lastSeenAt: LessThan(at) }, { lastSeenAt: at }),
    );
  }

  end(id: string, by: SessionEnd, now: number, onBehalfOf?: string): Promise<boolean> {
    return this.ends.endOne(id, by, now, onBehalfOf);
  }

  async endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    exceptId = '',
    onBehalfOf?: string,
  ): Promise<number> {
    const { count } = await this.rows.endAllOf(userId, by, now, exceptId, onBehalfOf);
    return count;
  }

  async listOf(userId: UserId, now: number): Promise<Session[]> {
    const rows = await this.rows.listOf(userId, now);
    return rows.map(toStoredSession).map(({ endedBy, ...session }) => session);
  }

  prune(now: number): Promise<number> {
    return this.rows.prune(now - REMEMBERED_MS);
  }
}
