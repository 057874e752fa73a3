import { Injectable } from '@nestjs/common';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { AuthAction } from '../contract/auth-event.js';
import type { AccountChange } from '../users/typeorm/account-changes.js';
import { AuthManager } from '../login/auth.manager.js';

/** Whose sessions a change ends. */
export interface EndedSessions {
  subjectId: number;
  subject: string;
  end: () => Promise<unknown>;
}

type Transaction<Change> = <T>(work: (change: Change) => Promise<T>) => Promise<T>;

/**
 * Changes that end sessions, none of which ends without a record. Where the sessions are in the same database all of it
 * is one transaction. Elsewhere the record is committed first, then the sessions end, and a failure of that is an event.
 */
@Injectable()
export class SessionEnds {
  constructor(private readonly manager: AuthManager) {}

  /**
   * @param transaction that runs work, for example `(work) => changes.run(action, work)`
   * @param work that notes its events, and says whose sessions end; nothing ends where it says nothing
   */
  async change<Change extends AccountChange>(
    action: AuthAction,
    transaction: Transaction<Change>,
    work: (change: Change) => Promise<EndedSessions | undefined>,
  ): Promise<void> {
    if (this.manager.endsSessionsInTransaction()) {
      await transaction(async (change) => {
        await (await work(change))?.end();
      });
      return;
    }
    const ended = await transaction(work);
    try {
      // In the context of the action: who asks decides what ends, also once the client has hung up.
      await action.run(() => ended?.end());
    } catch (error) {
      const { subjectId, subject } = ended as EndedSessions;
      action.note({ type: 'sessions-ended', subjectId, subject, success: false, detail: 'the store failed' });
      throw error;
    }
  }

  /**
   * Ends sessions before a change that makes them end again, where that is no part of its transaction: nothing is
   * changed when they cannot be ended.
   */
  async before<Change extends AccountChange>(
    action: AuthAction,
    transaction: Transaction<Change>,
    work: (change: Change) => Promise<EndedSessions>,
  ): Promise<void> {
    if (this.manager.hasSessions() && !this.manager.endsSessionsInTransaction()) {
      await this.change(action, transaction, async (change) => {
        const ended = await work(change);
        const { subjectId, subject } = ended;
        await change.note({ type: 'sessions-ended', subjectId, subject, detail: 'before a new password' });
        return ended;
      });
    }
  }

  /**
   * What ends one session of a user. A session that is not there is refused before anything is written: on SQLite's one
   * connection a roll-back would take others' writes with it.
   *
   * @throws AuthException 40400 when there is no such session, as the function does when it is over meanwhile; 50100 where
   * the implementation knows no single sessions
   */
  async one(userId: number, id: string, reason: SessionEndReason): Promise<() => Promise<void>> {
    const sessions = this.manager.sessions();
    const notFound = () =>
      new AuthException(AuthErrorCode.NOT_FOUND, { message: 'There is no such session' });
    if (!(await sessions.listOf(userId)).some((it) => it.id === id)) {
      throw notFound();
    }
    return async () => {
      if (!(await sessions.end(userId, id, reason))) {
        throw notFound();
      }
    };
  }
}
