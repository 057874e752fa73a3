import type { LoginProof, SessionEndReason, UserId } from 'kit-auth';
import type { LoginLimit } from 'kit-auth/typeorm';
import type { AuthLogin } from './auth-login.entity.js';

/** Injection token of the store inside this package. */
export const LOGIN_STORE = Symbol.for('kit-auth-refresh.login-store');

/** A login, as the store reads and writes it. */
export type StoredLogin = Omit<AuthLogin, 'userId' | 'factors'> & {
  readonly userId: UserId;
  readonly proof: LoginProof;
};

/** The columns that a refresh changes. */
export type Rotation = Pick<
  StoredLogin,
  'family' | 'current' | 'previous' | 'salt' | 'rotatedAt' | 'rotatedFrom' | 'lastSeenAt' | 'rotations'
> &
  Partial<Pick<StoredLogin, 'proof'>>;

/** The columns that the first replay of a generation changes. */
export type Replay = Readonly<Record<'replayedIn' | 'replays', number>>;

/** Expired logins are stored for this time, so that clients learn why their token is refused. */
export const REMEMBERED_MS = 24 * 60 * 60_000;

/**
 * Stores logins. Each method is atomic, also across processes, and rejects within a second when the database does not
 * answer.
 */
export interface LoginStore {
  /** Whether ends join the open transaction of the change that causes them. */
  readonly endsInTransaction: boolean;
  /** Whether the caller runs in such a transaction, which may be rolled back. */
  readonly isInTransaction: boolean;
  /** Called at start-up. @throws IllegalStateException when the store cannot work */
  open(): Promise<void>;
  /** @returns the ids of logins that ended because of the limit; undefined when the limit refuses the login */
  create(login: StoredLogin, limit?: LoginLimit): Promise<readonly string[] | undefined>;
  /**
   * Also finds ended and expired logins. With `endsInTransaction`, a login that is found within a change does not end
   * before the commit.
   *
   * @returns undefined for a row that was tampered with, too
   */
  find(id: string): Promise<StoredLogin | undefined>;
  /** Replaces the current secret of a login that has not ended. @returns false when another one is current by now */
  rotate(id: string, from: string, rotation: Rotation): Promise<boolean>;
  /**
   * Records a replay of a login that has not ended.
   *
   * @param replayedIn the current value of the row
   * @returns false when the login has ended, or another replay was recorded in the meantime
   */
  noteReplay(id: string, replayedIn: number | null, replay: Replay): Promise<boolean>;
  end(id: string, by: SessionEndReason, now: number, onBehalfOf?: string): Promise<boolean>;
  /** @returns how many ended, and the ids of those that were live */
  endAllOf(
    userId: UserId,
    by: SessionEndReason,
    now: number,
    exceptId?: string,
    onBehalfOf?: string,
  ): Promise<{ ids: readonly string[]; count: number }>;
  /** The live logins of a user, oldest first. */
  listOf(userId: UserId, now: number): Promise<StoredLogin[]>;
  /** Deletes a batch of old rows. @returns how many */
  prune(now: number): Promise<number>;
}
