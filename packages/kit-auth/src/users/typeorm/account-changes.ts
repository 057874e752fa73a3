import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';
import { describeError } from '../../errors/describe-error.js';
import type { AuthAction, AuthEvent, NotedEvent } from '../../contract/auth-event.js';
import { AuthEvents } from '../../contract/auth-events.js';
import type { AccountChange } from '../../contract/user-store.js';
import { BoundedTransactions, hasWaitedTooLong } from './bounded-transactions.js';

/** A change in a transaction of TypeORM. */
export interface TypeOrmChange extends AccountChange {
  readonly transaction: EntityManager;
}

/** Who waits for whom: administrators, who wait for each other anyway, do not keep users from changing their own. */
export type ChangeQueue = 'own' | 'administration';

const OWN_AT_ONCE = 4;

/** Changes of accounts and roles, each with its events in one transaction. */
@Injectable()
export class AccountChanges {
  private readonly logger = new Logger('KitAuth');
  private readonly current = new AsyncLocalStorage<EntityManager>();
  private readonly queues: Readonly<Record<ChangeQueue, BoundedTransactions>>;

  constructor(
    @InjectDataSource() dataSource: DataSource,
    private readonly events: AuthEvents,
  ) {
    const administration = new BoundedTransactions(dataSource, 1);
    // TypeORM has one connection to an SQLite file, which cannot hold two transactions.
    const isSqlite = /sqlite|sqljs/.test(dataSource.options.type);
    const own = isSqlite ? administration : new BoundedTransactions(dataSource, OWN_AT_ONCE);
    this.queues = { own, administration };
  }

  /**
   * The transaction of the change that the caller is part of; a store in the same data source can join it. Undefined in
   * what a change has started and that goes on after it.
   */
  transaction(): EntityManager | undefined {
    const manager = this.current.getStore();
    return manager?.queryRunner?.isTransactionActive ? manager : undefined;
  }

  /**
   * Runs work in a transaction, as a part of an action and in its request context. After a deadlock it is run again, in a new one. An
   * `AuthException` of the work is a refusal: before the work noted an event it has to be thrown before the first write,
   * and ends the transaction without a roll-back, which on SQLite's one connection would take others' writes with it.
   *
   * @throws AuthException 50300 when a turn, a connection or a lock takes longer than three seconds, and nothing is changed
   */
  async run<T>(
    action: AuthAction,
    work: (change: TypeOrmChange) => Promise<T>,
    queue: ChangeQueue = 'own',
  ): Promise<T> {
    const attempt = async (manager: EntityManager) => {
      const noted: AuthEvent[] = [];
      const note = async (event: NotedEvent) => {
        noted.push(await kept(action, event, manager));
      };
      try {
        return {
          noted,
          result: await action.run(() =>
            this.current.run(manager, () => work({ transaction: manager, note })),
          ),
        };
      } catch (error) {
        if (error instanceof AuthException && noted.length === 0) {
          return { noted, refusal: error };
        }
        throw error;
      }
    };
    const outcome = await this.within(queue, attempt);
    if (outcome.refusal !== undefined) {
      throw outcome.refusal;
    }
    outcome.noted.forEach((event) => this.events.emit(event));
    return outcome.result;
  }

  private async within<T>(queue: ChangeQueue, attempt: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.queues[queue].run(attempt);
    } catch (error) {
      if (!hasWaitedTooLong(error)) {
        throw error;
      }
      this.logger.error(`[auth] a change was given up: ${describeError(error)}`);
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause: error });
    }
  }
}

/** Whatever a sink throws, it is no refusal of the change: the transaction is rolled back. */
async function kept(action: AuthAction, event: NotedEvent, manager: EntityManager): Promise<AuthEvent> {
  try {
    return await action.keep(event, manager);
  } catch (cause) {
    throw new Error(`the event ${event.type} was not kept: ${describeError(cause)}`, { cause });
  }
}
