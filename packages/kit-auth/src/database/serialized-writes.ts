import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import { dataSourceOf, isSqlite } from './data-source.js';
import { WorkQueue } from './work.queue.js';

/** How long a write waits for a change under way, and the other way round. */
export const WAIT_MS = 3000;

interface CurrentChange {
  readonly manager: EntityManager;
  isOver: boolean;
}

const current = new AsyncLocalStorage<CurrentChange>();
const queues = new WeakMap<DataSource, WorkQueue>();

/** The queue of the writes of a data source with one connection. */
export function writeQueueOf(dataSource: DataSource): WorkQueue {
  const known = queues.get(dataSource) ?? new WorkQueue(1);
  queues.set(dataSource, known);
  return known;
}

/** Runs the work of a change. What the work starts belongs to the change until the work is done. */
export async function inTransaction<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
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
 * Runs a write outside of changes. TypeORM has one connection to an SQLite file: a write beside the
 * transaction of a change would become part of it, and be lost when the change is rolled back. There the write waits
 * until no change is under way. Inside a change it belongs to the change and does not wait. Other databases have a
 * connection for each transaction, so the write never waits.
 *
 * Writes of the application on that connection cannot be made to wait. A change that is rolled back while the
 * application writes takes these writes with it, unless the application uses `serializedWrite`, too.
 *
 * @throws Error when a change keeps the connection for three seconds; nothing is written then
 * @example
 * await serializedWrite(dataSource, () => dataSource.manager.insert(Note, { text }));
 */
export function serializedWrite<T>(dataSource: DataSource, write: () => Promise<T>): Promise<T> {
  return isSqlite(dataSource) && currentTransaction(dataSource) === undefined
    ? writeQueueOf(dataSource).run(WAIT_MS, write)
    : write();
}
