import { Injectable, Logger, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import type { AuthAction, AuthEvent, NotedEvent } from '../../contract/auth-event.js';
import { AuthEvents } from '../../contract/auth-events.js';
import type { AccountChange } from '../../contract/user-store.js';
import { IllegalStateException, unavailable } from '../../errors/auth.exception.js';
import { WorkQueue } from '../../context/work-queue.js';
import { withinDeadline } from '../../errors/deadline.js';
import { describeError } from '../../errors/describe.js';
import { BoundedTransactions, hasWaitedTooLong } from '../database/bounded-transactions.js';
import { inTransaction, WAIT_MS, writeQueueOf } from '../database/connections.js';
import { isSqlite } from '../database/data-source.js';
import { AdministrationLock } from './administration-lock.js';
import { AuthUser } from './auth-user.entity.js';

/** A change in a transaction of TypeORM. */
export interface TypeOrmChange extends AccountChange {
  readonly transaction: EntityManager;
}

const MAX_OWN_CHANGES = 4;

/** Changes accounts and roles. A change and its events are one transaction. */
@Injectable()
export class AccountChanges {
  private readonly logger = new Logger('KitAuth');
  private readonly own: BoundedTransactions;
  /** Changes of administrators wait for each other. They do not delay users who change their own account. */
  private readonly administrative: BoundedTransactions;
  readonly lock = new AdministrationLock();

  constructor(
    @Optional() @InjectDataSource() configured: DataSource | undefined,
    private readonly events: AuthEvents,
  ) {
    const dataSource = requiredDataSource(configured);
    const only = isSqlite(dataSource) ? writeQueueOf(dataSource) : undefined;
    this.own = new BoundedTransactions(dataSource, only ?? new WorkQueue(MAX_OWN_CHANGES), AuthUser);
    this.administrative = new BoundedTransactions(dataSource, only ?? new WorkQueue(1), AuthUser);
  }

  /**
   * Runs work in a transaction, as part of an action and in its request context. An exception rolls the transaction
   * back. After a deadlock the work runs again, in a new transaction.
   *
   * On SQLite, where TypeORM has one connection, writes of the application at the same moment are part of the
   * transaction; see `serializedWrite`.
   *
   * @throws AuthException 50300 when a place in the queue, a connection or a lock takes longer than a few seconds; nothing is changed
   */
  run<T>(action: AuthAction, work: (change: TypeOrmChange) => Promise<T>): Promise<T> {
    return this.runIn(this.own, action, work);
  }

  /** `run` for the change of an administrator: the transaction holds the administration lock when the work begins. */
  administer<T>(action: AuthAction, work: (change: TypeOrmChange) => Promise<T>): Promise<T> {
    return this.runIn(this.administrative, action, async (change) => {
      await this.lock.take(change.transaction);
      return work(change);
    });
  }

  private async runIn<T>(
    transactions: BoundedTransactions,
    action: AuthAction,
    work: (change: TypeOrmChange) => Promise<T>,
  ): Promise<T> {
    const attempt = async (manager: EntityManager) => {
      const noted: AuthEvent[] = [];
      const note = async (event: NotedEvent) => {
        noted.push(await keep(action, event, manager));
      };
      const result = await action.run(() =>
        inTransaction(manager, () => work({ transaction: manager, note })),
      );
      return { noted, result };
    };
    const { noted, result } = await this.within(transactions, attempt);
    noted.forEach((event) => this.events.emit(event));
    return result;
  }

  private async within<T>(
    transactions: BoundedTransactions,
    attempt: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return await transactions.run(attempt);
    } catch (error) {
      if (!hasWaitedTooLong(error)) {
        throw error;
      }
      this.logger.error(`[auth] a change was given up: ${describeError(error)}`);
      throw unavailable(error);
    }
  }
}

/** Stores an event with a change. Any exception of a sink counts as a failure, not as a refusal of the change. */
async function keep(action: AuthAction, event: NotedEvent, manager: EntityManager): Promise<AuthEvent> {
  try {
    return await withinDeadline(WAIT_MS, action.keep(event, manager), 'an event sink');
  } catch (cause) {
    throw new Error(`the event ${event.type} was not kept: ${describeError(cause)}`, { cause });
  }
}

/** @throws IllegalStateException in an application without a data source of TypeORM */
export function requiredDataSource(dataSource: DataSource | undefined): DataSource {
  if (dataSource === undefined) {
    throw new IllegalStateException(
      'KitAuthModule.forRoot() keeps the users in the data source of TypeORM without a name, and there is none. Import ' +
        'TypeOrmModule.forRoot({ ..., autoLoadEntities: true }), or pass KitAuthModule.forRoot({ users: MyUsersModule }).',
    );
  }
  return dataSource;
}
