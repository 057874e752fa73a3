import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { currentTransaction } from './serialized-writes.js';
import { isSqlite } from './data-source.js';
import { LookupQueue } from './lookup-queue.js';

/** That of the drivers. */
const DEFAULT_POOL_SIZE = 10;

const queues = new WeakMap<DataSource, LookupQueue>();
const connected = new AsyncLocalStorage<true>();

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
  const known = queues.get(dataSource) ?? new LookupQueue(poolSizeOf(dataSource));
  queues.set(dataSource, known);
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
