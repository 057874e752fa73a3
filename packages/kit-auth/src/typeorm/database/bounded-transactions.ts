import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { WorkQueue } from '../../context/work-queue.js';
import { DeadlineExceeded, withinDeadline } from '../../errors/deadline.js';
import { WAIT_MS } from './connections.js';
import { dataSourceOf, isSqlite } from './data-source.js';

/** Limit of a whole transaction. Longer than the wait for a lock, so that the database can end the wait itself. */
const GIVE_UP_MS = 5000;
const MIN_LOCK_WAIT_MS = 1000;
const MAX_ATTEMPTS = 5;

/** Deadlocks and serialization failures: SQLSTATE of PostgreSQL, error numbers of MySQL and MariaDB. */
const RETRYABLE: ReadonlySet<unknown> = new Set(['40P01', '40001', 1213, 1020]);
/** Another process is writing to the same SQLite file. */
const BUSY: ReadonlySet<unknown> = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT']);
const BUSY_PAUSE_MS = 20;
/** The wait for a lock took too long. */
const LOCK_TIMEOUT: ReadonlySet<unknown> = new Set(['55P03', 1205, ...BUSY]);

interface Course {
  /** The caller no longer waits: nothing may be committed. */
  isGivenUp: boolean;
  /** The caller has to wait for the outcome. */
  isCommitting: boolean;
}

/** Transactions that wait in a queue, and whose callers wait for a limited time. */
export class BoundedTransactions {
  /** @param table locks an SQLite file: a transaction begins with a write to it, which changes nothing */
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: WorkQueue,
    private readonly table: EntityTarget<ObjectLiteral>,
  ) {}

  /**
   * Runs work in a transaction. An exception rolls it back. After a deadlock the work runs again, in a new transaction.
   *
   * @throws Error for which `hasWaitedTooLong` is true, when a place in the queue, a connection or a lock takes too long; nothing is
   * committed then, and nothing will be
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const course: Course = { isGivenUp: false, isCommitting: false };
    const until = performance.now() + WAIT_MS;
    const done = this.queue.run(WAIT_MS, () => this.attempts(course, until, work));
    try {
      return await withinDeadline(GIVE_UP_MS, done, 'the database');
    } catch (error) {
      if (course.isCommitting) {
        return done;
      }
      course.isGivenUp = true;
      throw error;
    }
  }

  private async attempts<T>(
    course: Course,
    until: number,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction((manager) => this.attempt(course, until, manager, work));
      } catch (error) {
        course.isCommitting = false;
        const isBusy = hasCode(error, BUSY);
        const mayRetry = isBusy || (attempt < MAX_ATTEMPTS && hasCode(error, RETRYABLE));
        if (!mayRetry || performance.now() >= until || course.isGivenUp) {
          throw error;
        }
        if (isBusy) {
          await wait(BUSY_PAUSE_MS);
        }
      }
    }
  }

  private async attempt<T>(
    course: Course,
    until: number,
    manager: EntityManager,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    requireWaiting(course);
    if (isSqlite(this.dataSource)) {
      await lockForWriting(manager, this.table);
    }
    const restore = await limitLockWaits(manager, Math.max(MIN_LOCK_WAIT_MS, until - performance.now()));
    try {
      const result = await work(manager);
      requireWaiting(course);
      course.isCommitting = true;
      return result;
    } finally {
      await restore();
    }
  }
}

/** Whether a transaction failed because it had to wait for too long, here or in the database. */
export function hasWaitedTooLong(error: unknown): boolean {
  return error instanceof DeadlineExceeded || hasCode(error, LOCK_TIMEOUT);
}

function requireWaiting({ isGivenUp }: Course): void {
  if (isGivenUp) {
    throw new DeadlineExceeded('the caller no longer waits');
  }
}

/**
 * Limits how long a statement of a transaction waits for a lock.
 *
 * @returns a function that restores what the connection had before
 */
async function limitLockWaits(manager: EntityManager, waitMs: number): Promise<() => Promise<void>> {
  const { type } = dataSourceOf(manager).options;
  if (/postgres/.test(type)) {
    await manager.query("SELECT set_config('lock_timeout', $1, true)", [`${Math.ceil(waitMs)}ms`]);
  }
  if (/mysql|mariadb/.test(type)) {
    const names = ['innodb_lock_wait_timeout', 'lock_wait_timeout'];
    const seconds = Math.ceil(waitMs / 1000);
    const kept = names.map((name) => `@kit_auth_${name} = @@SESSION.${name}`);
    const limited = names.map((name) => `SESSION ${name} = ${seconds}`);
    const restored = names.map((name) => `SESSION ${name} = @kit_auth_${name}`);
    await manager.query(`SET ${[...kept, ...limited].join(', ')}`);
    return () => manager.query(`SET ${restored.join(', ')}`).catch(() => undefined);
  }
  return async () => undefined;
}

/**
 * Locks an SQLite file for this transaction, before it reads: a transaction that has read cannot write any more once
 * another process has written. It fails at once if another process writes, because a wait would block the event loop.
 */
async function lockForWriting(manager: EntityManager, table: EntityTarget<ObjectLiteral>): Promise<void> {
  const [{ timeout }] = await manager.query<[{ timeout: number }]>('PRAGMA busy_timeout');
  await manager.query('PRAGMA busy_timeout = 0');
  try {
    await manager.createQueryBuilder().delete().from(table).where('1 = 0').execute();
  } finally {
    await manager.query(`PRAGMA busy_timeout = ${timeout}`);
  }
}

/** Looks for the code of a driver's error, which may be wrapped. */
function hasCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const { code, errno, driverError, cause } = error as Record<string, unknown>;
  return codes.has(code) || codes.has(errno) || hasCode(driverError, codes) || hasCode(cause, codes);
}
