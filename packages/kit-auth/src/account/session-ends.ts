import { Injectable } from '@nestjs/common';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import type { EndAllOptions, SessionEndReason } from '../contract/auth-sessions.js';
import type { LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import type { AccountChange } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, UnstoredEventException } from '../errors/auth.exception.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** The user whose sessions a change ends. */
export interface EndedSessions {
  subjectId: UserId;
  subject: string;
  end: () => Promise<unknown>;
}

/** A change of the user's own account, and how it ends the user's sessions. */
export interface OwnChange extends EndAllOptions {
  /** Changes the account, and notes the event. */
  work: (change: AccountChange) => Promise<void>;
  /** See `SessionEnds.change`. */
  committed?: () => unknown;
  /** See `SessionEnds.before`. */
  detail?: string;
  /**
   * Whether the change also ends the API keys of the user. Without a transaction, they end before it, like sessions.
   */
  endsKeys?: boolean;
}

type Transaction<Change> = <T>(work: (change: Change) => Promise<T>) => Promise<T>;

/** A change that has been made. */
interface Outcome {
  /** The user whose sessions end after it. */
  readonly ended: EndedSessions | undefined;
  readonly failure?: UnstoredEventException;
}

/**
 * Makes changes that end sessions, and records them. If the sessions are in the same database, the change is one
 * transaction. Otherwise the record is committed first and the sessions end after it; if that fails, an event says so.
 */
@Injectable()
export class SessionEnds {
  constructor(
    private readonly logins: ActiveLogins,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
  ) {}

  /**
   * Changes a user in a transaction of the user store, ends the user's sessions as `before` and `change` do, and tells
   * the provider that the user was changed.
   *
   * @param user the user, as events name them
   */
  async changeOwn(
    action: AuthAction,
    { userId, username }: Pick<LoginUser, 'userId' | 'username'>,
    { work, committed, detail, endsKeys = false, ...options }: OwnChange,
  ): Promise<void> {
    const transaction: Transaction<AccountChange> = (change) => this.users.changing(action, userId, change);
    const ended: EndedSessions = {
      subjectId: userId,
      subject: username,
      end: () => this.logins.endAllOf(userId, options),
    };
    // A change without a transaction that fails halfway must not leave the keys live for ever.
    const endsKeysBefore = endsKeys && !this.users.has('transaction') ? (options.reason ?? true) : undefined;
    await this.before(action, transaction, async () => ended, detail, endsKeysBefore);
    await this.changeUser(action, userId, (change) => work(change).then(() => ended), committed, transaction);
  }

  /** `change()` in a transaction of the user store, which also tells the provider that the user was changed. */
  async changeUser(
    action: AuthAction,
    userId: UserId,
    work: (change: AccountChange) => Promise<EndedSessions | undefined>,
    committed?: () => unknown,
    transaction = this.transactionOf(action),
  ): Promise<void> {
    await this.change(action, transaction, work, async () => {
      this.provider.userChanged(userId);
      await committed?.();
    });
  }

  /**
   * @param transaction runs the work, for example `(work) => users.transaction(action, work)`
   * @param work notes the events of the change, and returns the user whose sessions end. If it returns nothing, no
   * session ends
   * @param committed called after the commit, before sessions outside of the transaction end. If it fails, they do not
   * end
   */
  async change<Change extends AccountChange>(
    action: AuthAction,
    transaction: Transaction<Change>,
    work: (change: Change) => Promise<EndedSessions | undefined>,
    committed?: () => unknown,
  ): Promise<void> {
    const isJoined = this.logins.endInTransaction();
    const { ended, failure } = await transaction(async (change) => {
      const found = await work(change);
      if (!isJoined) {
        return found;
      }
      await found?.end();
      return undefined;
    }).then((ended): Outcome => ({ ended }), outcomeOf);
    await committed?.();
    if (ended !== undefined) {
      await this.endAfter(action, ended);
    }
    if (failure !== undefined) {
      throw failure;
    }
  }

  /** Ends sessions after the change that ends them. */
  private async endAfter(action: AuthAction, { subjectId, subject, end }: EndedSessions): Promise<void> {
    try {
      // Runs in the request context of the action, which decides what ends, even after the client disconnects.
      await action.run(end);
    } catch (error) {
      action.note({ type: 'sessions-ended', subjectId, subject, success: false, detail: 'the store failed' });
      throw error;
    }
  }

  /**
   * Ends sessions before a change that ends them again, if sessions are not part of its transaction. If they cannot be
   * ended, nothing is changed.
   *
   * @param detail the detail of the event
   * @param endsKeys see `NotedEvent.endsKeys`. If set, the API keys also end before the change, and the event is
   * published even without known sessions
   */
  async before<Change extends AccountChange>(
    action: AuthAction,
    transaction: Transaction<Change>,
    work: (change: Change) => Promise<EndedSessions>,
    detail = 'before a new password',
    endsKeys?: NotedEvent['endsKeys'],
  ): Promise<void> {
    if (endsKeys !== undefined || (this.logins.areKnown() && !this.logins.endInTransaction())) {
      await this.change(action, transaction, async (change) => {
        const ended = await work(change);
        const { subjectId, subject } = ended;
        await change.note({
          type: 'sessions-ended',
          subjectId,
          subject,
          detail,
          ...(endsKeys && { endsKeys }),
        });
        return ended;
      });
    }
  }

  /**
   * Prepares the end of one session of a user.
   *
   * @returns a function that ends it, and throws 40400 when it has ended by then
   * @throws AuthException 40400 when the session does not exist, 50100 when the implementation cannot list sessions
   */
  async one(userId: UserId, id: string, reason: SessionEndReason): Promise<() => Promise<void>> {
    const sessions = this.logins.sessions();
    const notFound = () => new AuthException(AuthErrorCode.NOT_FOUND, { message: 'Session not found' });
    if (!(await sessions.listOf(userId)).some((session) => session.id === id)) {
      throw notFound();
    }
    return async () => {
      if (!(await sessions.end(userId, id, reason))) {
        throw notFound();
      }
    };
  }

  private transactionOf(action: AuthAction): Transaction<AccountChange> {
    return (work) => this.users.transaction(action, work);
  }
}

/** @throws the error that has prevented the change */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof UnstoredEventException) {
    return { ended: error.result as Outcome['ended'], failure: error };
  }
  throw error;
}
