import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pLimit from 'p-limit';
import type { DataSource, EntityManager } from 'typeorm';
import { AuthException } from '../errors/auth.exception.js';
import { describeError } from '../errors/describe-error.js';
import type { AuthAction, AuthEvent, NotedEvent } from '../events/auth-event.js';
import { AuthEvents } from '../events/auth-events.js';

export interface AccountChange {
  manager: EntityManager;
  /** Keeps an event in the transaction, and emits it when that has ended. */
  note: (event: NotedEvent) => Promise<void>;
}

/** Changes of accounts and roles, each with its events in one transaction. */
@Injectable()
export class AccountChanges {
  /**
   * TypeORM has one connection to an SQLite file, which cannot hold two transactions: one after the other. Elsewhere a
   * few, so that changes which wait for each other leave connections for logins.
   */
  private readonly limit: ReturnType<typeof pLimit>;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: AuthEvents,
  ) {
    this.limit = pLimit(/sqlite|sqljs/.test(dataSource.options.type) ? 1 : 4);
  }

  /**
   * Runs work in a transaction, as a part of an action. An `AuthException` of the work is a refusal, thrown before it wrote anything: it
   * ends the transaction without a roll-back, which on SQLite's one connection would take others' writes with it.
   */
  async run<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const noted: AuthEvent[] = [];
    const attempt = () =>
      this.dataSource.transaction(async (manager) => {
        const note = async (event: NotedEvent) => {
          noted.push(await kept(action, event, manager));
        };
        try {
          return { result: await work({ manager, note }) };
        } catch (error) {
          if (error instanceof AuthException) {
            return { refusal: error };
          }
          throw error;
        }
      });
    const outcome = await this.limit(attempt);
    if (outcome.refusal !== undefined) {
      throw outcome.refusal;
    }
    noted.forEach((event) => this.events.emit(event));
    return outcome.result;
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
