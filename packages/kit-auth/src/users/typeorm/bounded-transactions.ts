import pLimit from 'p-limit';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { describeError } from '../../errors/describe-error.js';
import { withinDeadline } from '../../errors/deadline.js';

/** For a turn, a connection and each lock. */
const WAIT_MS = 3000;
/** For all of it: longer, so that a database has time to end a wait by itself. */
const GIVE_UP_MS = 5000;
const MOST_ATTEMPTS = 5;

/** Deadlocks, and snapshots that another transaction made stale: of PostgreSQL, and of MySQL and MariaDB. */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['40P01', '40001', 1213, 1020]);
/** The database ended a wait for a lock. */
const NO_LOCK: ReadonlySet<unknown> = new Set(['55P03', 1205]);

class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';
}

/** What becomes of one transaction, for whoever waits for it. */
interface Course {
  readonly until: number;
  state: 'waiting' | 'working' | 'committing' | 'given up';
}

/** Transactions, so many at once, none of which waits for long. */
export class BoundedTransactions {
  private readonly limit: ReturnType<typeof pLimit>;

  constructor(
    private readonly dataSource: DataSource,
    atOnce: number,
  ) {
    this.limit = pLimit(atOnce);
  }

  /**
   * Runs work in a transaction, and again in a new one after a deadlock.
   *
   * @throws what `hasWaitedTooLong` tells, when the wait was given up; nothing is committed then, also not later
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const course: Course = { until: performance.now() + WAIT_MS, state: 'waiting' };
    const done = this.limit(() => this.attempts(course, work));
    const timers: NodeJS.Timeout[] = [];
    const silence = new Promise<never>((_resolve, reject) => {
      const giveUp = (when: Course['state'][], what: string) => {
        if (when.includes(course.state)) {
          course.state = 'given up';
          reject(new WaitedTooLong(what));
        }
      };
      timers.push(setTimeout(() => giveUp(['waiting'], `no turn in ${WAIT_MS} ms`), WAIT_MS));
      // On SQLite's one connection a roll-back would take others' writes with it; there is no server to wait for.
      if (!/sqlite|sqljs/.test(this.dataSource.options.type)) {
        timers.push(setTimeout(() => giveUp(['working'], `not done in ${GIVE_UP_MS} ms`), GIVE_UP_MS));
      }
    });
    try {
      return await Promise.race([done, silence]);
    } finally {
      timers.forEach((timer) => clearTimeout(timer));
    }
  }

  private async attempts<T>(course: Course, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (course.state === 'given up') {
        throw new WaitedTooLong('nobody waits any more');
      }
      course.state = 'working';
      try {
        return await this.attempt(course, work);
      } catch (error) {
        const isLast = attempt === MOST_ATTEMPTS || performance.now() >= course.until;
        if (isLast || !hasCode(error, TRY_AGAIN)) {
          throw error;
        }
      }
    }
  }

  private async attempt<T>(course: Course, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const waitMs = Math.max(1000, course.until - performance.now());
    const runner = await this.connected(waitMs);
    try {
      const locks = this.lockWaits(runner, waitMs);
      await locks.before?.();
      try {
        await runner.startTransaction();
        await locks.within?.();
        const result = await work(runner.manager);
        if (isGivenUp(course)) {
          throw new WaitedTooLong('nobody waits any more');
        }
        course.state = 'committing';
        await runner.commitTransaction();
        return result;
      } catch (error) {
        // What ends the connection ends the transaction, too.
        await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      } finally {
        await locks.after?.().catch(() => undefined);
      }
    } finally {
      await runner.release();
    }
  }

  private async connected(waitMs: number): Promise<QueryRunner> {
    const runner = this.dataSource.createQueryRunner();
    const connection: Promise<unknown> = runner.connect();
    try {
      await withinDeadline(waitMs, connection);
      return runner;
    } catch (cause) {
      // It may still come.
      connection.then(
        () => runner.release(),
        () => undefined,
      );
      throw new WaitedTooLong(`no connection to the database: ${describeError(cause)}`, { cause });
    }
  }

  /** How long a statement of this transaction may wait for a lock. What the connection had before is put back. */
  private lockWaits(
    runner: QueryRunner,
    waitMs: number,
  ): Partial<Record<'before' | 'within' | 'after', () => Promise<unknown>>> {
    const { type } = this.dataSource.options;
    if (/postgres/.test(type)) {
      return {
        within: () => runner.query("SELECT set_config('lock_timeout', $1, true)", [`${Math.ceil(waitMs)}ms`]),
      };
    }
    if (/mysql|mariadb/.test(type)) {
      const names = ['innodb_lock_wait_timeout', 'lock_wait_timeout'];
      const seconds = Math.ceil(waitMs / 1000);
      const set = (assign: (name: string) => string[]) => () =>
        runner.query(`SET ${names.flatMap(assign).join(', ')}`);
      return {
        before: set((name) => [`@kit_auth_${name} = @@SESSION.${name}`, `SESSION ${name} = ${seconds}`]),
        after: set((name) => [`SESSION ${name} = @kit_auth_${name}`]),
      };
    }
    return {};
  }
}

/** Whether a change failed because it had to wait for too long, here or in the database. */
export function hasWaitedTooLong(error: unknown): boolean {
  return error instanceof WaitedTooLong || hasCode(error, NO_LOCK);
}

function isGivenUp({ state }: Course): boolean {
  return state === 'given up';
}

/** Looks at the error of the driver, wherever it is wrapped. */
function hasCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const { code, errno, driverError, cause } = error as Record<string, unknown>;
  return codes.has(code) || codes.has(errno) || hasCode(driverError, codes) || hasCode(cause, codes);
}
