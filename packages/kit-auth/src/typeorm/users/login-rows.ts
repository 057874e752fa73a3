import {
  type EntityManager,
  type FindOptionsWhere,
  In,
  IsNull,
  LessThanOrEqual,
  MoreThan,
  type ObjectLiteral,
} from 'typeorm';
import type { UserId } from '../../contract/user-id.js';
import { ownerOf } from '../../tools/stored-login.js';
import { currentTransaction } from '../database/connections.js';
import { type DatabaseTransactions, deleteBatch, lockRow } from '../database/package-database.js';

/** Databases limit the number of values in a statement. */
const BATCH = 1000;

/** The columns that a table of logins has at least. Times are milliseconds since 1970. */
export interface LoginRow extends ObjectLiteral {
  /** Begins with the owner of `ownerOf()`, up to a dot. */
  id: string;
  /** The user id as a string, also for numeric ids. */
  userId: string;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  address: string | null;
  userAgent: string | null;
  endedBy: string | null;
}

/** A limit of live logins per user. */
export interface LoginLimit {
  max: number;
  /** Beyond `max`: end the oldest logins as `replaced`, or do not add the new one. */
  overflow: 'end-oldest' | 'refuse';
  /** Logins last seen before this time do not count, because they are idle. */
  seenSince: number;
}

/**
 * A table with one row per login. A login is live until it is ended or `now >= expiresAt`, and never becomes live again.
 * Each method is atomic, also across processes.
 *
 * @example
 * const logins = new LoginRows(new DatabaseTransactions(dataSource), DeviceLogin);
 * await logins.end(id, 'kicked', Date.now());
 */
export class LoginRows<Row extends LoginRow> {
  constructor(
    private readonly transactions: DatabaseTransactions,
    private readonly entity: new () => Row,
  ) {}

  /**
   * Adds a login and enforces the limit among the live logins of its user.
   *
   * @returns the ids of logins that ended because of the limit; undefined when the login was refused
   */
  async add(row: Row, limit?: LoginLimit): Promise<readonly string[] | undefined> {
    if (limit === undefined) {
      await this.transactions.write((manager) => this.insert(manager, row));
      return [];
    }
    // With stricter isolation, MySQL locks the gap that a login is inserted into, and first logins deadlock.
    return this.transactions.run(async (manager) => {
      await this.lockOwner(manager, row);
      return this.addWithin(manager, row, limit);
    }, 'READ COMMITTED');
  }

  /**
   * Ends a live login.
   *
   * @param onBehalfOf the id of the requesting login; when that is not live, nothing ends
   * @returns whether this call ended it
   */
  async end(id: string, by: string, now: number, onBehalfOf?: string): Promise<boolean> {
    const which = { id };
    const ended =
      onBehalfOf === undefined
        ? this.transactions.write((manager) => this.endWithin(manager, which, by, now))
        : // With stricter isolation, MySQL locks what a sub-query reads, and two logins that end each other deadlock.
          this.transactions.run(
            (manager) => this.endWithin(manager, which, by, now, onBehalfOf),
            'READ COMMITTED',
          );
    return (await ended) > 0;
  }

  /**
   * Ends the live logins of a user, except one.
   *
   * @param onBehalfOf the id of the requesting login; when that is not live, nothing ends
   * @returns how many ended, and the ids of those that were live
   */
  endAllOf(
    userId: UserId,
    by: string,
    now: number,
    exceptId = '',
    onBehalfOf?: string,
  ): Promise<{ ids: readonly string[]; count: number }> {
    return this.transactions.run(async (manager) => {
      const [any] = await this.liveOf(manager, userId, now);
      if (any === undefined) {
        return { ids: [], count: 0 };
      }
      await this.lockOwner(manager, any);
      const live = await this.liveOf(manager, userId, now, this.transactions.lock);
      const ids = live
        .map(({ id }) => id)
        .filter((id) => id !== exceptId)
        // The requesting login is the last one: once it has ended, no more logins end on its behalf.
        .sort((a, b) => Number(a === onBehalfOf) - Number(b === onBehalfOf));
      let count = 0;
      for (let at = 0; at < ids.length; at += BATCH) {
        const which = { id: In(ids.slice(at, at + BATCH)) };
        count += await this.endWithin(manager, which, by, now, onBehalfOf);
      }
      return { ids, count };
      // With stricter isolation, MySQL locks gaps that a login is inserted into, and the two deadlock.
    }, 'READ COMMITTED');
  }

  /** Finds a login, also an ended or expired one. Within a change, it stays as it is until the commit. */
  find(id: string): Promise<Row | undefined> {
    const where = { id } as unknown as FindOptionsWhere<Row>;
    return this.transactions.read(async (manager) => {
      const row = await manager.findOneBy(this.entity, where);
      // Some databases ignore case in comparisons.
      if (row?.id !== id) {
        return undefined;
      }
      if (currentTransaction(this.transactions.dataSource) === undefined) {
        return row;
      }
      await this.lockOwner(manager, row);
      return (await manager.findOne(this.entity, { where, ...this.transactions.lock })) ?? undefined;
    });
  }

  /** The live logins of a user, oldest first. */
  listOf(userId: UserId, now: number): Promise<Row[]> {
    return this.transactions.read((manager) => this.liveOf(manager, userId, now));
  }

  /** Deletes a batch of rows that expired before. Several instances may do this at once. @returns how many */
  prune(expiredAt: number): Promise<number> {
    const expired = { expiresAt: LessThanOrEqual(expiredAt) } as unknown as FindOptionsWhere<Row>;
    return deleteBatch(this.transactions.dataSource, this.entity, expired, BATCH);
  }

  /**
   * Serializes the changes of several logins of a user, so that each sees the logins that others have added. The locked
   * row has no owner, so that no list reads it.
   *
   * @param row any login of the user
   */
  lockOwner(manager: EntityManager, row: Row): Promise<void> {
    const id = `${row.id.slice(0, row.id.indexOf('.'))}.logins`;
    const nobody = { userId: '', address: null, userAgent: null };
    const lock = { ...row, id, ...nobody, createdAt: 0, lastSeenAt: 0, endedBy: 'expired' };
    return lockRow(manager, this.entity, lock);
  }

  private async addWithin(
    manager: EntityManager,
    row: Row,
    limit: LoginLimit,
  ): Promise<readonly string[] | undefined> {
    const owner = row.id.slice(0, row.id.indexOf('.'));
    const all = await this.liveRows(manager, owner, row.userId, row.createdAt, this.transactions.lock);
    const live = all.filter((one) => one.lastSeenAt >= limit.seenSince);
    const tooMany = live.slice(0, Math.max(0, live.length + 1 - limit.max)).map(({ id }) => id);
    if (tooMany.length > 0) {
      if (limit.overflow === 'refuse') {
        return undefined;
      }
      await this.endWithin(manager, { id: In(tooMany) }, 'replaced', row.createdAt);
    }
    await this.insert(manager, row);
    return tooMany;
  }

  private async insert(manager: EntityManager, row: Row): Promise<void> {
    await manager.insert(this.entity, row);
  }

  private async endWithin(
    manager: EntityManager,
    which: { id: unknown },
    by: string,
    now: number,
    onBehalfOf?: string,
  ): Promise<number> {
    const live = { ...which, endedBy: IsNull(), expiresAt: MoreThan(now) };
    const update = manager
      .createQueryBuilder()
      .update(this.entity)
      .set({ endedBy: by } as never)
      .where(live);
    if (onBehalfOf !== undefined) {
      const asking = manager
        .createQueryBuilder(this.entity, 'asking')
        .select('asking.id', 'id')
        .where('asking.id = :onBehalfOf AND asking.endedBy IS NULL AND asking.expiresAt > :now')
        .limit(1); // Without it, MySQL merges the sub-query and refuses to read the table that it updates.
      update
        .andWhere(`EXISTS (SELECT 1 FROM (${asking.getQuery()}) asked)`)
        .setParameters({ onBehalfOf, now });
    }
    return (await update.execute()).affected ?? 0;
  }

  /**
   * Every change of several logins locks them first, in the same order, to prevent deadlocks.
   *
   * @returns oldest first
   */
  private liveOf(
    manager: EntityManager,
    userId: UserId,
    now: number,
    lock?: DatabaseTransactions['lock'],
  ): Promise<Row[]> {
    return this.liveRows(manager, ownerOf(userId), String(userId), now, lock);
  }

  private async liveRows(
    manager: EntityManager,
    owner: string,
    userId: string,
    now: number,
    lock?: DatabaseTransactions['lock'],
  ): Promise<Row[]> {
    const rows = await manager.find(this.entity, {
      where: { userId, endedBy: IsNull(), expiresAt: MoreThan(now) } as unknown as FindOptionsWhere<Row>,
      order: { createdAt: 'ASC', id: 'ASC' } as never,
      ...lock,
    });
    // Some databases ignore case in comparisons.
    return rows.filter(({ id }) => id.startsWith(`${owner}.`));
  }
}
