import { Between, type DataSource, type EntityManager, In, IsNull, LessThan, MoreThan } from 'typeorm';
import { Deadline } from '../errors/deadline.js';
import { attempting } from '../provider/failure.js';
import type { AccountChanges } from '../users/typeorm/account-changes.js';
import { DatabaseTransactions } from '../users/typeorm/database-transactions.js';
import { joinedTransaction } from '../users/typeorm/joined-transaction.js';
import { AuthOneTime } from './auth-one-time.entity.js';

const DATABASE = 'the database of one-time tokens';
const TIMEOUT_MS = 900;
/** In a transaction, which bounds its waits for locks itself. */
const IN_TRANSACTION_MS = 5000;
const BATCH = 1000;
/** How long rows are kept after their end, so that a refusal can say `expired`. */
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;

/** Texts that a row must have. */
export type TextColumns = Partial<Pick<AuthOneTime, 'id' | 'purpose' | 'userId' | 'subject'>>;

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * The rows of one-time tokens. A `transaction` is that of a change; one of another data source is not joined. Methods
 * reject with 50300 when the database fails. In a transaction the failure is the change's own, which is made again after
 * a deadlock.
 */
export class OneTimeRows {
  private readonly alone = new Deadline(DATABASE, TIMEOUT_MS);
  private readonly joined = new Deadline(DATABASE, IN_TRANSACTION_MS);
  private readonly transactions: DatabaseTransactions;

  constructor(
    private readonly dataSource: DataSource,
    changes?: AccountChanges,
  ) {
    this.transactions = new DatabaseTransactions(dataSource, changes);
  }

  find(id: string, transaction?: unknown): Promise<AuthOneTime | null> {
    const find: Work<AuthOneTime | null> = (manager) => manager.findOneBy(AuthOneTime, { id });
    return this.within(transaction, find, () => this.transactions.read(find));
  }

  /** Oldest first. */
  listLive(purpose: string, now: number): Promise<AuthOneTime[]> {
    const where = { purpose, expiresAt: MoreThan(now) };
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const find: Work<AuthOneTime[]> = (manager) => manager.find(AuthOneTime, { where, order });
    return this.within(undefined, find, () => this.transactions.read(find));
  }

  /** @param former which rows it replaces */
  insert(row: AuthOneTime, former: TextColumns | undefined, transaction: unknown): Promise<void> {
    return this.run(transaction, async (manager) => {
      if (former !== undefined) {
        await remove(manager, former);
      }
      await manager.insert(AuthOneTime, row);
      // Without a transaction, as on SQLite, two instances would remove each other's new rows.
      if (former !== undefined && this.transactions.lock !== undefined) {
        await removeOthers(manager, former, row.id);
      }
    });
  }

  /** @returns whether this call has deleted it */
  deleteLive(id: string, purpose: string, now: number, transaction: unknown): Promise<boolean> {
    const live = { id, purpose, expiresAt: MoreThan(now) };
    return this.write(transaction, async (manager) => isOne(await manager.delete(AuthOneTime, live)));
  }

  /** @returns false when there are `most` attempts, or no live row */
  countAttempt(id: string, purpose: string, most: number, now: number): Promise<boolean> {
    const live = { id, purpose, expiresAt: MoreThan(now), attempts: Between(0, most - 1) };
    const column = this.dataSource.getMetadata(AuthOneTime).findColumnWithPropertyName('attempts');
    const name = this.dataSource.driver.escape(column?.databaseName ?? 'attempts');
    return this.write(undefined, async (manager) =>
      isOne(await manager.update(AuthOneTime, live, { attempts: () => `${name} + 1` })),
    );
  }

  /** @returns how many */
  remove(which: TextColumns, transaction: unknown): Promise<number> {
    return this.run(transaction, (manager) => remove(manager, which));
  }

  /** Deletes a batch of old rows. @returns how many */
  async prune(now: number): Promise<number> {
    const old = await this.transactions.read((manager) =>
      manager.find(AuthOneTime, {
        select: { id: true },
        where: { expiresAt: LessThan(now - REMEMBERED_MS) },
        order: { id: 'ASC' },
        take: BATCH,
      }),
    );
    if (old.length > 0) {
      const which = { id: In(old.map(({ id }) => id)) };
      await this.transactions.write((manager) => manager.delete(AuthOneTime, which));
    }
    return old.length;
  }

  private write<T>(transaction: unknown, work: Work<T>): Promise<T> {
    return this.within(transaction, work, () => this.transactions.write(work));
  }

  private run<T>(transaction: unknown, work: Work<T>): Promise<T> {
    // Stricter isolation would lock gaps, into which others insert.
    return this.within(transaction, work, () => this.transactions.run(work, 'READ COMMITTED'));
  }

  private within<T>(transaction: unknown, work: Work<T>, alone: () => Promise<T>): Promise<T> {
    const joined = joinedTransaction(this.dataSource, transaction);
    return joined === undefined
      ? attempting(DATABASE, () => this.alone.within(alone))
      : this.joined.within(() => work(joined));
  }
}

/** @returns how many */
async function remove(manager: EntityManager, which: TextColumns): Promise<number> {
  return deleteAll(manager, await idsOf(manager, which));
}

/**
 * Removes what others have inserted while this transaction waited to remove the same rows, and looks again after each
 * such wait. It tries no row twice: a snapshot still has those that are gone.
 */
async function removeOthers(manager: EntityManager, which: TextColumns, own: string): Promise<void> {
  const tried = new Set([own]);
  for (;;) {
    const ids = (await idsOf(manager, which)).filter((id) => !tried.has(id));
    if (ids.length === 0) {
      return;
    }
    await deleteAll(manager, ids);
    ids.forEach((id) => tried.add(id));
  }
}

/** The rows that have exactly these texts. Some databases ignore case in comparisons. */
async function idsOf(manager: EntityManager, which: TextColumns): Promise<string[]> {
  const wanted = Object.entries(which) as [keyof TextColumns, string | null][];
  const rows = await manager.find(AuthOneTime, {
    select: { id: true, purpose: true, userId: true, subject: true },
    where: Object.fromEntries(wanted.map(([name, value]) => [name, value ?? IsNull()])),
  });
  return rows.filter((row) => wanted.every(([name, value]) => row[name] === value)).map(({ id }) => id);
}

async function deleteAll(manager: EntityManager, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    const { affected } = await manager.delete(AuthOneTime, { id: In(ids.slice(at, at + BATCH)) });
    count += affected ?? 0;
  }
  return count;
}

/** False also where the driver does not tell: two must never both have a token. */
function isOne({ affected }: { affected?: number | null | undefined }): boolean {
  return affected === 1;
}
