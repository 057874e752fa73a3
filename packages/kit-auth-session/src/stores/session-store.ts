import type { LoginUser } from 'kit-auth';

/** Why a session is over, as the client's next request hears it: 40101 with this `reason`. */
export type SessionEnd = (typeof SESSION_ENDS)[number];
export const SESSION_ENDS = [
  'logged-out',
  'kicked',
  'replaced',
  'idle',
  'expired',
  'password-changed',
  'disabled',
] as const;

/** Times are milliseconds since 1970. */
export interface Session {
  /** Not a token, and of no use to get one. At most 60 characters, beginning with what tells the user. */
  id: string;
  userId: number;
  createdAt: number;
  lastSeenAt: number;
  /** The end of its life; activity never moves it. */
  expiresAt: number;
  /** Where its login came from, as far as that was known: at most 64 and 255 characters. */
  address: string | undefined;
  userAgent: string | undefined;
  /**
   * How the user logged in: an opaque ASCII text of at most 1536 characters. Keep it as it is. Sessions of a store that
   * drops it work, but features that need to know how a user logged in see no factors.
   */
  proof?: string | undefined;
}

export interface StoredSession extends Session {
  /** Undefined while nobody has ended it; it may be expired all the same. */
  endedBy: SessionEnd | undefined;
  /** Only of what `keepEndOfAll` keeps, and only while the latest of these ends spares a session. */
  spared?: SparedSession | undefined;
}

/** The session that the latest end of all spares, and the latest end that did not spare it. */
export interface SparedSession {
  id: string;
  /** It is over, too, if it was created at this time or before. 0 when every end spared it. */
  endedAt: number;
  endedBy: SessionEnd | undefined;
}

/** An end of all sessions of a user that were created at `at` or before, where tokens hold the sessions. */
export interface EndOfAll {
  /** What `find` gives the user's ends for. At most 60 characters. */
  id: string;
  userId: number;
  at: number;
  by: SessionEnd;
  /** When the last session that it ends would have expired. */
  expiresAt: number;
  /** A session that goes on. It stays over when an earlier end, or another end at the same time, did not spare it. */
  exceptId?: string | undefined;
  /** The session on whose behalf this is. The end has no effect once that session is over. */
  onBehalfOf?: { id: string; createdAt: number } | undefined;
}

export interface SessionLimit {
  max: number;
  /** What happens to a session too many: the oldest end as `replaced`, or it is not created. */
  overflow: 'end-oldest' | 'refuse';
  /** Sessions last seen before this time do not count: they are idle, and over. */
  seenSince: number;
}

/** Sessions are kept this long after their life, so that a client hears why its token is refused. */
export const REMEMBERED_MS = 24 * 60 * 60_000;

type Answer<T> = T | Promise<T>;

/**
 * Where sessions are kept. Every method is one atomic step, also between processes, and ending is for ever: no
 * other call brings an ended session back. A store that is in trouble rejects within a second; it never answers
 * "no such session" for it. The conformance suite of `kit-auth-testing` says all this as tests.
 *
 * A session is live while it has not been ended and `now < expiresAt`.
 */
export interface SessionStore {
  /** Whether `end`, `endAllOf` and `keepEndOfAll` become part of the transaction `AccountChanges.transaction()`. */
  readonly endsInTransaction?: boolean;
  /** Called at start-up; a store that cannot work throws `IllegalStateException` here. */
  open?(): Promise<void>;
  /** Adds a session, and keeps the limit among the live ones of its user. @returns false when refused */
  create(session: Session, limit?: SessionLimit): Answer<boolean>;
  /** A session, ended and expired ones included for `REMEMBERED_MS` after their life. */
  find(id: string): Answer<StoredSession | undefined>;
  /** `find` for one id or two, and the user as it is now, for a store that has all in one place. */
  findWithUser?(
    userId: number,
    ids: readonly [string] | readonly [string, string],
  ): Promise<{ sessions: (StoredSession | undefined)[]; user: LoginUser | undefined }>;
  /** Moves `lastSeenAt` forward; does nothing to an ended or unknown session. */
  touch(id: string, at: number): Answer<void>;
  /**
   * @param onBehalfOf the id of the session that asks for it: nothing ends once that one is not live
   * @returns whether this call ended it; false for unknown, ended and expired sessions
   */
  end(id: string, by: SessionEnd, now: number, onBehalfOf?: string): Answer<boolean>;
  /**
   * Ends the live sessions of a user, but for one.
   *
   * @param onBehalfOf the id of the session that asks for it: nothing ends once that one is not live
   * @returns how many this call ended
   */
  endAllOf(
    userId: number,
    by: SessionEnd,
    now: number,
    exceptId?: string,
    onBehalfOf?: string,
  ): Answer<number>;
  /**
   * Keeps an end that `find` then gives, for a session that was never created because its token holds it; in
   * place of one that was kept under that id before. Such ends are in no list and count for no limit.
   */
  keepEnd(end: StoredSession): Answer<void>;
  /**
   * Adds an end of all sessions of a user to those that `find(end.id)` gives as one, in the form that `mergeEnds`
   * computes. Only `mode: 'stateless'` needs it. Kept until the latest `expiresAt`; in no list, as with `keepEnd`.
   */
  keepEndOfAll?(end: EndOfAll): Answer<void>;
  /** The live sessions of a user, oldest first. */
  listOf(userId: number, now: number): Answer<Session[]>;
  /** Forgets some of what is over for longer than `REMEMBERED_MS`. @returns how many; 0 when nothing is left */
  prune(now: number): Answer<number>;
  /** Closes what the store itself opened. */
  close?(): Promise<void>;
}
