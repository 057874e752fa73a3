import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { isSqlite } from './is-sqlite.js';
import { Turns } from './turns.js';

/** How long a write waits for a change under way, and the other way round. */
export const WAIT_MS = 3000;

interface CurrentChange {
  readonly manager: EntityManager;
  isOver: boolean;
}

const current = new AsyncLocalStorage<CurrentChange>();
const turns = new WeakMap<DataSource, Turns>();

/** The turns of a data source with one connection. */
export function turnsOf(dataSource: DataSource): Turns {
  const known = turns.get(dataSource) ?? new Turns(1);
  turns.set(dataSource, known);
  return known;
}

/** Runs the work of a change. What the work starts belongs to the change until the work is done. */
export async function asChange<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
  const change: CurrentChange = { manager, isOver: false };
  try {
    return await current.run(change, work);
  } finally {
    change.isOver = true;
  }
}

/** The transaction of the change that the caller is part of. */
export function currentTransaction(dataSource: DataSource): EntityManager | undefined {
  const change = current.getStore();
  return change?.isOver === false && dataSourceOf(change.manager) === dataSource ? change.manager : undefined;
}

/**
 * Runs a write that is no part of a change. TypeORM has one connection to an SQLite file: a write beside the
 * transaction of a change would become part of it, and be lost when the change is rolled back. There the write waits
 * until no change is under way. Inside a change it belongs to the change and does not wait. Other databases have a
 * connection for each transaction, so the write never waits.
 *
 * Writes of the application on that connection cannot be made to wait. A change that is rolled back while the
 * application writes takes these writes with it, unless the application uses `writeInTurn`, too.
 *
 * @throws Error when a change keeps the connection for three seconds; nothing is written then
 * @example
 * await writeInTurn(dataSource, () => dataSource.manager.insert(Note, { text }));
 */
export function writeInTurn<T>(dataSource: DataSource, write: () => Promise<T>): Promise<T> {
  return isSqlite(dataSource) && currentTransaction(dataSource) === undefined
    ? turnsOf(dataSource).run(WAIT_MS, write)
    : write();
}
