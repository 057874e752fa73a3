import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import { WorkQueue } from '../../context/work-queue.js';
import { dataSourceOf, isSqlite } from './data-source.js';
import { LookupQueue } from './lookup-queue.js';

/** How long a write waits for a change under way, and the other way round. */
export const WAIT_MS = 3000;
/** The default of the drivers. */
const DEFAULT_POOL_SIZE = 10;

interface CurrentChange {
  readonly manager: EntityManager;
  isOver: boolean;
}

const current = new AsyncLocalStorage<CurrentChange>();
const connected = new AsyncLocalStorage<true>();
const writeQueues = new WeakMap<DataSource, WorkQueue>();
const lookupQueues = new WeakMap<DataSource, LookupQueue>();

/** The queue of the writes of a data source with one connection. */
export function writeQueueOf(dataSource: DataSource): WorkQueue {
  const known = writeQueues.get(dataSource) ?? new WorkQueue(1);
  writeQueues.set(dataSource, known);
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

/**
 * Runs a look-up, when the pool has a connection for it. Other look-ups that it contains, and those of transactions, do
 * not wait: they would keep a connection from those for which they wait. On SQLite, which has no pool, none waits.
 *
 * @throws TooBusyException 50300 when the database is too slow; the look-up does not run then
 */
export function lookUp<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  return isSqlite(dataSource) ||
    connected.getStore() !== undefined ||
    currentTransaction(dataSource) !== undefined
    ? work()
    : queueOf(dataSource).run(() => withConnection(work));
}

/** Runs work that has a connection. Its look-ups do not wait for another one. */
export function withConnection<T>(work: () => Promise<T>): Promise<T> {
  return connected.run(true, work);
}

function queueOf(dataSource: DataSource): LookupQueue {
  const known = lookupQueues.get(dataSource) ?? new LookupQueue(poolSizeOf(dataSource));
  lookupQueues.set(dataSource, known);
  return known;
}

function poolSizeOf({ options }: DataSource): number {
  const { type, poolSize, extra } = options as PoolOptions;
  const inExtra = /mysql|mariadb/.test(type) ? extra?.connectionLimit : extra?.max;
  const size = Number(inExtra ?? poolSize);
  return size >= 1 ? size : DEFAULT_POOL_SIZE;
}

interface PoolOptions {
  readonly type: string;
  readonly poolSize?: unknown;
  readonly extra?: { readonly max?: unknown; readonly connectionLimit?: unknown } | null;
}
