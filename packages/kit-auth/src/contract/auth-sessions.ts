import type { UserId } from './user-id.js';

/** A live session as its user, or an administrator, may see it. */
export interface SessionInfo {
  /** Session id. Can revoke the session, cannot authenticate. */
  id: string;
  createdAt: Date;
  /** May be a minute behind. With refresh tokens, the time of the last refresh. */
  lastSeenAt: Date;
  expiresAt: Date;
  /** IP address of the login. */
  address: string | undefined;
  userAgent: string | undefined;
  /** Whether this is the session of the current request. */
  current: boolean;
}

/** Why a session ended. Packages add reasons of their own by declaration merging. */
export interface SessionEndReasons {
  'logged-out': true;
  kicked: true;
  'password-changed': true;
  disabled: true;
  /** A newer login or token of the same user took its place. */
  replaced: true;
  /** Twenty wrong passwords or codes at `POST fresh`. */
  'too-many-attempts': true;
}

/** Why a session ended. The client's next request gets 40101 with this `reason`. */
export type SessionEndReason = keyof SessionEndReasons;

export interface EndAllOptions {
  /** The one session that stays alive, for example `currentId()`. */
  exceptId?: string | undefined;
  /** Default `kicked`. */
  reason?: SessionEndReason | undefined;
}

/**
 * Lists and revokes live sessions. Each method rejects when the store does not answer, and with `AuthException` 50100
 * when the implementation does not support it.
 */
export interface AuthSessions {
  /** Whether revocations join the transaction of the user store, where one is open. Otherwise they follow it. */
  readonly endsInTransaction?: boolean;
  /** Whether they are in the memory of this process. Commands of `npx kit-auth` cannot reach them then. */
  readonly inProcess?: boolean;
  /** The live sessions of a user, oldest first. */
  listOf(userId: UserId): Promise<SessionInfo[]>;
  /** The session of the current request, or undefined. */
  currentId(): string | undefined;
  /**
   * The live session that an id stands for: that session, or the one that took its place at `POST fresh`. Within a change
   * whose transaction ends join, it does not end before the commit. Default: the session of `listOf`.
   *
   * @returns undefined when it has ended, is another user's, or never was
   */
  liveIdOf?(userId: UserId, sessionId: string): Promise<string | undefined>;
  /** @returns whether this call ended it; false when it was over, is another user's, or never was */
  end(userId: UserId, sessionId: string, reason?: SessionEndReason): Promise<boolean>;
  /** Ends all sessions of a user, or all but one. @returns how many, 0 where that is not known */
  endAllOf(userId: UserId, options?: EndAllOptions): Promise<number>;
}
