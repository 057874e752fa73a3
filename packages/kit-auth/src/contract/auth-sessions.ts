import type { UserId } from './user-id.js';

/** The part of a live session that its user and administrators may see. */
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
  /** Nothing was heard of its client for too long. */
  idle: true;
  /** A newer login or token of the same user replaced it. */
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
 * when the implementation does not support it. Report ends with `LoginEnds` of `kit-auth/login`, so that the application's
 * `LOGIN_END_LISTENER` hear of them.
 */
export interface AuthSessions {
  /** Whether revocations join the open transaction of the user store, if any. Otherwise they follow it. */
  readonly endsInTransaction?: boolean;
  /** Whether sessions are in the memory of this process, where commands of `npx kit-auth` cannot reach them. */
  readonly inProcess?: boolean;
  /** The live sessions of a user, oldest first. */
  listOf(userId: UserId): Promise<SessionInfo[]>;
  /** The session of the current request, or undefined. */
  currentId(): string | undefined;
  /** The session of a token that this implementation has issued. Only sessions whose tokens have no `loginId` need it. */
  idOf?(token: string): string | undefined;
  /**
   * The live session for an id: the session itself, or the one that replaced it at `POST fresh`. In a change whose
   * transaction ends join, it cannot end before the commit. Default: the session of `listOf`.
   *
   * @returns undefined for an ended or unknown session, and for another user's
   */
  liveIdOf?(userId: UserId, sessionId: string): Promise<string | undefined>;
  /** @returns whether this call ended it; false for an ended or unknown session, and for another user's */
  end(userId: UserId, sessionId: string, reason?: SessionEndReason): Promise<boolean>;
  /** Ends all sessions of a user, or all but one. @returns how many, or 0 if that is not known */
  endAllOf(userId: UserId, options?: EndAllOptions): Promise<number>;
}
