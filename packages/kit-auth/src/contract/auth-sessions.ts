/** A live session as its user, or an administrator, may see it. */
export interface SessionInfo {
  /** Ends it, and is no token. */
  id: string;
  createdAt: Date;
  /** May be a minute behind. */
  lastSeenAt: Date;
  expiresAt: Date;
  /** Where its login came from. */
  address: string | undefined;
  userAgent: string | undefined;
  /** Whether the request that asks came with it. */
  current: boolean;
}

/** Why a session ends, as its client's next request hears it. */
export type SessionEndReason = 'logged-out' | 'kicked' | 'password-changed' | 'disabled';

export interface EndAllOptions {
  /** The one session that goes on, for example `currentId()`. */
  exceptId?: string | undefined;
  /** Default `kicked`. */
  reason?: SessionEndReason | undefined;
}

/**
 * Who is logged in, and an end to it. Each method rejects when the store does not answer, and with
 * `AuthException` 50100 where the implementation cannot tell.
 */
export interface AuthSessions {
  /**
   * Whether ends are part of the transaction `AccountChanges.transaction()`, where there is one. Others are made once
   * their record is kept.
   */
  readonly endsInTransaction?: boolean;
  /** The live sessions of a user, oldest first. */
  listOf(userId: number): Promise<SessionInfo[]>;
  /** The session of the current request; undefined where there is none. */
  currentId(): string | undefined;
  /** @returns whether this call ended it; false when it was over, is another user's, or never was */
  end(userId: number, sessionId: string, reason?: SessionEndReason): Promise<boolean>;
  /** Ends all sessions of a user, or all but one. @returns how many, 0 where that is not known */
  endAllOf(userId: number, options?: EndAllOptions): Promise<number>;
}
