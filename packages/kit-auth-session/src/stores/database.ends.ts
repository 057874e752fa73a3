import type { UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/extend';
import type { DatabaseTransactions } from 'kit-auth/typeorm';
import { type EntityManager, type FindOptionsWhere, In, IsNull, MoreThan } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import { mergeEnds } from './ends-of-all.js';
import type { DatabaseReplacements } from './database.replacements.js';
import type { EndOfAll, SessionEnd } from './session-store.js';

/** Databases limit the number of values in a statement. */
const END_BATCH = 1000;

/** Ends sessions in a database: stored sessions, and stateless ones. */
export class DatabaseEnds {
  constructor(
    private readonly transactions: DatabaseTransactions,
    private readonly replacements: DatabaseReplacements,
  ) {}

  async endOne(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean> {
    const ended =
      onBehalfOf === undefined
        ? this.transactions.write((manager) => this.endWithin(manager, { id }, by, now))
        : // With stricter isolation, MySQL locks what a sub-query reads, and two sessions that end each other deadlock.
          this.transactions.run((it) => this.endWithin(it, { id }, by, now, onBehalfOf), 'READ COMMITTED');
    if ((await ended) > 0) {
      return true;
    }
    const successorId = await this.replacements.successorOf(id);
    return successorId !== undefined && this.endOne(successorId, by, now, onBehalfOf);
  }

  /** @returns how many */
  endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    exceptId: string,
    onBehalfOf: string | undefined,
  ): Promise<number> {
    return this.transactions.run(async (manager) => {
      let ended = 0;
      // The first look waits for sessions that are being replaced. The second one finds their successors.
      for (let look = 1; look <= 2; look++) {
        const live = await lockLiveOf(manager, userId, now, this.transactions);
        const ids = live
          .map(({ id }) => id)
          .filter((id) => id !== exceptId)
          // The requesting session is the last one: once it has ended, no more sessions end on its behalf.
          .sort((a, b) => Number(a === onBehalfOf) - Number(b === onBehalfOf));
        for (let at = 0; at < ids.length; at += END_BATCH) {
          const which = { id: In(ids.slice(at, at + END_BATCH)) };
          ended += await this.endWithin(manager, which, by, now, onBehalfOf);
        }
      }
      return ended;
      // With stricter isolation, MySQL locks gaps that a login inserts its session into, and the two deadlock.
    }, 'READ COMMITTED');
  }

  private async endWithin(
    manager: EntityManager,
    which: FindOptionsWhere<AuthSession>,
    by: SessionEnd,
    now: number,
    onBehalfOf?: string,
  ): Promise<number> {
    const update = manager
      .createQueryBuilder()
      .update(AuthSession)
      .set({ endedBy: by })
      .where({ ...which, endedBy: IsNull(), expiresAt: MoreThan(now) });
    if (onBehalfOf !== undefined) {
      const asking = manager
        .createQueryBuilder(AuthSession, 'asking')
        .select('asking.id', 'id')
        .where('asking.id = :onBehalfOf AND asking.endedBy IS NULL AND asking.expiresAt > :now')
        .limit(1); // Without it, MySQL merges the sub-query and refuses to read the table that it updates.
      update
        .andWhere(`EXISTS (SELECT 1 FROM (${asking.getQuery()}) asked)`)
        .setParameters({ onBehalfOf, now });
    }
    return (await update.execute()).affected ?? 0;
  }

  async keepEndOfAll(end: EndOfAll): Promise<void> {
    // Merging an end twice has no further effect, so it does not matter who inserted the row.
    if (!(await this.transactions.manager.existsBy(AuthSession, { id: end.id }))) {
      const first = toRow(mergeEnds(undefined, end));
      await this.transactions.write((manager) =>
        manager.createQueryBuilder().insert().into(AuthSession).values(first).orIgnore().execute(),
      );
    }
    while (!(await this.transactions.run((it) => this.merge(it, end))));
  }

  /**
   * Reads under a row lock, merges and writes. SQLite has no row locks; there, the write only applies if the row is
   * unchanged.
   *
   * @returns false when another process changed the row in between
   */
  private async merge(manager: EntityManager, end: EndOfAll): Promise<boolean> {
    const row = await manager.findOneOrFail(AuthSession, {
      where: { id: end.id },
      ...this.transactions.lock,
    });
    const kept = toStoredSession(row);
    const merged = mergeEnds(kept, end);
    if (merged === kept) {
      return true;
    }
    const { id, createdAt, expiresAt, sparedId, sparedEndedAt } = row;
    const asRead = {
      ...{ id, createdAt, expiresAt, sparedId: sparedId ?? IsNull() },
      sparedEndedAt: sparedEndedAt ?? IsNull(),
    };
    return (await manager.update(AuthSession, asRead, toRow(merged))).affected !== 0;
  }
}

/**
 * Locks the live sessions of a user. Every change of several sessions does this first and in the same order, to prevent
 * deadlocks.
 *
 * @returns the sessions, oldest first
 */
export function lockLiveOf(
  manager: EntityManager,
  userId: UserId,
  now: number,
  { lock }: DatabaseTransactions,
): Promise<AuthSession[]> {
  return findLiveOf(manager, userId, now, lock);
}

/** @returns the live sessions of a user, oldest first */
export async function findLiveOf(
  manager: EntityManager,
  userId: UserId,
  now: number,
  lock?: DatabaseTransactions['lock'],
): Promise<AuthSession[]> {
  const owner = `${ownerOf(userId)}.`;
  const rows = await manager.find(AuthSession, {
    where: { userId: String(userId), endedBy: IsNull(), expiresAt: MoreThan(now) },
    order: { createdAt: 'ASC', id: 'ASC' },
    ...lock,
  });
  // Some databases ignore case in comparisons.
  return rows.filter(({ id }) => id.startsWith(owner));
}
