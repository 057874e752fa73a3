import {
  Between,
  type EntityManager,
  type FindOptionsWhere,
  In,
  IsNull,
  LessThan,
  LessThanOrEqual,
  MoreThan,
  Raw,
} from 'typeorm';
import { inTransaction } from '../../typeorm/database/connections.js';
import { deleteBatch, lockRow, type PackageDatabase } from '../../typeorm/database/package-database.js';
import { AuthOneTime } from './auth-one-time.entity.js';

const BATCH = 1000;
/** How long rows are kept after their end, so that a refusal can say `expired`. */
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;
/** Rows with at most this lifetime are deleted on expiry: clients create many, and expired ones are hardly asked for. */
const SHORT_LIFE_MS = 10 * 60_000;

/** Strings that a row must contain. */
export type TextColumns = Partial<Pick<AuthOneTime, 'id' | 'purpose' | 'userId' | 'subject'>>;

/** The rows of one-time tokens. For `transaction` and errors, see `PackageDatabase`. */
export class OneTimeRows {
  constructor(private readonly database: PackageDatabase) {}

  find(id: string, transaction?: unknown): Promise<AuthOneTime | null> {
    return this.database.read((manager) => manager.findOneBy(AuthOneTime, { id }), transaction);
  }

  /** Oldest first. */
  listLive(which: TextColumns, now: number, transaction: unknown): Promise<AuthOneTime[]> {
    const where = { ...conditionsOf(which), expiresAt: MoreThan(now) };
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    return this.database.read(async (manager) => {
      const rows = await manager.find(AuthOneTime, { where, order });
      return rows.filter((row) => hasTexts(row, which));
    }, transaction);
  }

  /** @param former which rows it replaces */
  insert(row: AuthOneTime, former: TextColumns | undefined, transaction: unknown): Promise<void> {
    return this.database.run(async (manager) => {
      if (former !== undefined) {
        await remove(manager, former);
      }
      await manager.insert(AuthOneTime, row);
      // Without a transaction, as on SQLite, two instances would remove each other's new rows.
      if (former !== undefined && this.database.hasRowLocks) {
        await removeOthers(manager, former, row.id);
      }
    }, transaction);
  }

  /** @returns whether this call has deleted it */
  deleteLive(id: string, purpose: string, now: number, transaction: unknown): Promise<boolean> {
    const live = { id, purpose, expiresAt: MoreThan(now) };
    return this.database.write(
      async (manager) => isOne(await manager.delete(AuthOneTime, live)),
      transaction,
    );
  }

  /** @returns false when there are `most` attempts, or no live row */
  countAttempt(id: string, purpose: string, most: number, now: number): Promise<boolean> {
    return this.addAttempts(1, { id, purpose, expiresAt: MoreThan(now), attempts: Between(0, most - 1) });
  }

  async uncountAttempt(id: string, purpose: string): Promise<void> {
    await this.addAttempts(-1, { id, purpose, attempts: MoreThan(0) });
  }

  private addAttempts(number: 1 | -1, which: FindOptionsWhere<AuthOneTime>): Promise<boolean> {
    const { dataSource } = this.database;
    const column = dataSource.getMetadata(AuthOneTime).findColumnWithPropertyName('attempts');
    const name = dataSource.driver.escape(column?.databaseName ?? 'attempts');
    return this.database.write(async (manager) =>
      isOne(await manager.update(AuthOneTime, which, { attempts: () => `${name} + ${number}` })),
    );
  }

  /** @returns how many */
  remove(which: TextColumns, transaction: unknown): Promise<number> {
    return this.database.run((manager) => remove(manager, which), transaction);
  }

  /** Runs work in a transaction, with a row that other such transactions of the same id wait for. */
  locked<T>(id: string, now: number, work: () => Promise<T>): Promise<T> {
    return this.database.run(async (manager) => {
      const row = { id, purpose: 'lock', createdAt: now, expiresAt: now };
      await lockRow(manager, AuthOneTime, row);
      return inTransaction(manager, work);
    });
  }

  /** Deletes a batch of old rows. @returns how many */
  async prune(now: number): Promise<number> {
    const { dataSource } = this.database;
    const old = { expiresAt: LessThan(now - REMEMBERED_MS) };
    const short = {
      expiresAt: LessThanOrEqual(now),
      createdAt: Raw(
        (column) => `${column} >= ${column.replace('createdAt', 'expiresAt')} - ${SHORT_LIFE_MS}`,
      ),
    };
    return (
      (await deleteBatch(dataSource, AuthOneTime, old, BATCH)) +
      (await deleteBatch(dataSource, AuthOneTime, short, BATCH))
    );
  }
}

/** @returns how many */
async function remove(manager: EntityManager, which: TextColumns): Promise<number> {
  return deleteAll(manager, await idsOf(manager, which));
}

/**
 * Removes rows that others inserted while this transaction waited for a lock. Repeats until there are no new ones. Rows
 * that were removed already are skipped, because a snapshot still shows them.
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

async function idsOf(manager: EntityManager, which: TextColumns): Promise<string[]> {
  const rows = await manager.find(AuthOneTime, {
    select: { id: true, purpose: true, userId: true, subject: true },
    where: conditionsOf(which),
  });
  return rows.filter((row) => hasTexts(row, which)).map(({ id }) => id);
}

function conditionsOf(which: TextColumns): FindOptionsWhere<AuthOneTime> {
  return Object.fromEntries(Object.entries(which).map(([name, value]) => [name, value ?? IsNull()]));
}

/** Compares exactly. Some databases ignore case in comparisons. */
function hasTexts(row: TextColumns, which: TextColumns): boolean {
  return Object.entries(which).every(([name, value]) => row[name as keyof TextColumns] === value);
}

async function deleteAll(manager: EntityManager, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    const { affected } = await manager.delete(AuthOneTime, { id: In(ids.slice(at, at + BATCH)) });
    count += affected ?? 0;
  }
  return count;
}

/** False also if the driver does not report a count: otherwise two requests could claim one token. */
function isOne({ affected }: { affected?: number | null | undefined }): boolean {
  return affected === 1;
}
