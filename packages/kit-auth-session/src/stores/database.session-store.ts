import type { UserId } from 'kit-auth';
import { Deadline } from 'kit-auth/extend';
import {
  type AccountChanges,
  assertTables,
  DatabaseTransactions,
  type LoadJoined,
  type LoginUserLoader,
} from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, In, IsNull, LessThan, LessThanOrEqual } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import { DatabaseEnds, findLiveOf, lockLiveOf } from './database.ends.js';
import { SESSION_TABLES } from './database.migrations.js';
import { DatabaseReplacements } from './database.replacements.js';
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
const PRUNE_BATCH = 1000;

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

/** Columns that a look-up does not read. */
const EMPTY = {
  ...{ proof: null, successorId: null },
  ...{ sparedId: null, sparedEndedAt: null, sparedEndedBy: null },
} as const;

type SessionRow = Pick<AuthSession, (typeof COLUMNS)[number]> & Partial<AuthSession>;

/**
 * Stores sessions in the application's data source, in the table `auth_session`. With the default user store, a session
 * and its user are loaded with one statement, and ends of sessions are part of the changes that cause them.
 */
export class DatabaseSessionStore implements SessionStore {
  readonly endsInTransaction: boolean;
  readonly findWithUser?: Required<SessionStore>['findWithUser'];
  private readonly deadline = new Deadline('the session database', TIMEOUT_MS);
  private readonly transactions: DatabaseTransactions;
  private readonly ends: DatabaseEnds;
  private readonly replacements: DatabaseReplacements;
  private findOne: LoadJoined<SessionRow> | undefined;
  private findTwo: LoadJoined<SessionRow> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    users?: LoginUserLoader,
    changes?: AccountChanges,
  ) {
    this.endsInTransaction = changes !== undefined;
    if (users !== undefined) {
      this.findWithUser = (userId, ids) => this.loadWithUser(users, userId, ids);
    }
    this.transactions = new DatabaseTransactions(dataSource, changes);
    this.replacements = new DatabaseReplacements(this.transactions);
    this.ends = new DatabaseEnds(this.transactions, this.replacements);
  }

  open(): Promise<void> {
    return assertTables(this.dataSource, SESSION_TABLES);
  }

  create(session: Session, limit?: SessionLimit): Promise<boolean> {
    return this.deadline.within(() => {
      if (limit === undefined) {
        return this.transactions.write((manager) => this.insert(manager, session)).then(() => true);
      }
      // With stricter isolation, MySQL locks the gap that a session is inserted into, and first logins deadlock.
      return this.transactions.run(async (transaction) => {
        await this.lockOwner(transaction, session);
        return this.createWithin(transaction, session, limit);
      }, 'READ COMMITTED');
    });
  }

  replace(formerId: string, session: Session): Promise<boolean> {
    return this.deadline.within(() => this.replacements.replace(formerId, session));
  }

  keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    return this.deadline.within(() => this.replacements.keepFirstEnd(end));
  }

  find(id: string): Promise<StoredSession | undefined> {
    return this.deadline.within(async () => {
      const row = await this.transactions.read((manager) => manager.findOneBy(AuthSession, { id }));
      return row === null ? undefined : toStoredSession(row);
    });
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
      .then(({ rows, user }) => ({ user, sessions: rows.map(sessionOf) }));
  }

  async keepEnd(end: StoredSession): Promise<void> {
    await this.deadline.within(() =>
      this.transactions.write((manager) => manager.upsert(AuthSession, toRow(end), ['id'])),
    );
  }

  keepEndOfAll(end: EndOfAll): Promise<void> {
    return this.deadline.within(() => this.ends.keepEndOfAll(end));
  }

  async touch(id: string, at: number): Promise<void> {
    await this.deadline.within(() =>
      this.transactions.write((manager) =>
        manager.update(AuthSession, { id, endedBy: IsNull(), lastSeenAt: LessThan(at) }, { lastSeenAt: at }),
      ),
    );
  }

  end(id: string, by: SessionEnd, now: number, onBehalfOf?: string): Promise<boolean> {
    return this.deadline.within(() => this.ends.endOne(id, by, now, onBehalfOf));
  }

  endAllOf(userId: UserId, by: SessionEnd, now: number, exceptId = '', onBehalfOf?: string): Promise<number> {
    return this.deadline.within(() => this.ends.endAllOf(userId, by, now, exceptId, onBehalfOf));
  }

  listOf(userId: UserId, now: number): Promise<Session[]> {
    return this.deadline.within(async () => {
      const rows = await this.transactions.read((manager) => findLiveOf(manager, userId, now));
      return rows.map(toStoredSession).map(({ endedBy, ...session }) => session);
    });
  }

  /** Several instances may do this at once. */
  async prune(now: number): Promise<number> {
    const old = await this.sessions.find({
      select: { id: true },
      where: { expiresAt: LessThanOrEqual(now - REMEMBERED_MS) },
      order: { id: 'ASC' },
      take: PRUNE_BATCH,
    });
    if (old.length > 0) {
      const ids = old.map(({ id }) => id);
      await this.transactions.write((manager) => manager.delete(AuthSession, { id: In(ids) }));
    }
    return old.length;
  }

  private get sessions() {
    return this.dataSource.getRepository(AuthSession);
  }

  /**
   * Serializes the logins of a user, so that each sees the sessions of the others: the first write is to a row of the
   * user that is no session. It belongs to nobody, so that no list of sessions reads it.
   */
  private async lockOwner(manager: EntityManager, { id, expiresAt }: Session): Promise<void> {
    if (this.transactions.lock !== undefined) {
      const row = { id: `${id.slice(0, id.indexOf('.'))}.logins`, userId: '', createdAt: 0, lastSeenAt: 0 };
      await manager.upsert(AuthSession, { ...row, expiresAt, endedBy: 'expired' }, ['id']);
    }
  }

  private async createWithin(
    manager: EntityManager,
    session: Session,
    limit: SessionLimit,
  ): Promise<boolean> {
    const { userId, createdAt } = session;
    const live = (await lockLiveOf(manager, userId, createdAt, this.transactions)).filter(
      (one) => one.lastSeenAt >= limit.seenSince,
    );
    const tooMany = live.length + 1 - limit.max;
    if (tooMany > 0) {
      if (limit.overflow === 'refuse') {
        return false;
      }
      const ids = live.slice(0, tooMany).map(({ id }) => id);
      await manager.update(AuthSession, { id: In(ids), endedBy: IsNull() }, { endedBy: 'replaced' });
    }
    await this.insert(manager, session);
    return true;
  }

  private async insert(manager: EntityManager, session: Session): Promise<void> {
    await manager.insert(AuthSession, toRow({ ...session, endedBy: undefined }));
  }
}

function sessionOf(row: SessionRow | undefined): StoredSession | undefined {
  return row && toStoredSession({ ...EMPTY, ...row });
}
