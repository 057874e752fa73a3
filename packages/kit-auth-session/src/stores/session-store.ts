import type { LoginUser, SessionEndReason, UserId } from 'kit-auth';

/** Injection token of the store of the application. */
export const SESSION_STORE = Symbol.for('kit-auth-session.store');
/**
 * Injection token of a function that creates the database store. Undefined in applications without a data source of
 * TypeORM. A function, so that applications with other stores do not create one: `kit-auth doctor` would look for its
 * table.
 */
export const DATABASE_SESSION_STORE = Symbol.for('kit-auth-session.database-store');

/**
 * Why a session has ended. The client's next request gets 40101 with this `reason`. At most 32 characters, because
 * packages can add reasons to `SessionEndReasons`.
 */
export type SessionEnd = SessionEndReason | 'expired';

/** Times are milliseconds since 1970. */
export interface Session {
  /**
   * Identifies the session but cannot authenticate. At most 60 characters. Begins with a name for the user, up to a
   * dot.
   */
  id: string;
  /**
   * A number or a string, like the ids of the user store. A string has at most 128 characters, and is case-sensitive.
   */
  userId: UserId;
  createdAt: number;
  lastSeenAt: number;
  /** Activity does not extend it. */
  expiresAt: number;
  /** The IP address of the login, if known. At most 64 characters. */
  address: string | undefined;
  /** The `User-Agent` of the login in ASCII, if known. At most 255 characters. */
  userAgent: string | undefined;
  /**
   * The proof of the login: an opaque ASCII string of at most 1536 characters, to be returned unchanged. Without it,
   * sessions work, but features that depend on the factors of a login see no factors.
   */
  proof?: string | undefined;
}

export interface StoredSession extends Session {
  /** Undefined for sessions that were not ended, including expired ones. */
  endedBy: SessionEnd | undefined;
  /** The id of the session that replaced this one, from `replace` or `keepFirstEnd`. */
  successorId?: string | undefined;
  /** Only in entries of `keepEndOfAll`, when the latest end spares a session. */
  spared?: SparedSession | undefined;
}

/** The session that the latest end spares, and the latest end that did not spare it. */
export interface SparedSession {
  id: string;
  /** The spared session has ended if it was created at this time or before. 0 when every end spared it. */
  endedAt: number;
  endedBy: SessionEnd | undefined;
}

/** In `mode: 'stateless'`: the end of all sessions of a user that were created at `at` or before. */
export interface EndOfAll {
  /** The id under which `find` returns the ends of this user. At most 60 characters. */
  id: string;
  userId: UserId;
  at: number;
  by: SessionEnd;
  /** When the last of these sessions would have expired. */
  expiresAt: number;
  /** A session to spare. It has ended nevertheless if an earlier or simultaneous end did not spare it. */
  exceptId?: string | undefined;
  /** The requesting session. If it has ended, this end has no effect. */
  onBehalfOf?: { id: string; createdAt: number } | undefined;
}

/** A limit of live sessions per user. */
export interface SessionLimit {
  max: number;
  /** Above `max`: end the oldest sessions as `replaced`, or do not create the new one. */
  overflow: 'end-oldest' | 'refuse';
  /** Sessions last seen before this time do not count, because they are idle. */
  seenSince: number;
  /** Called with the id of each session that the limit has ended. A store that does not call it reports no such ends. */
  ended?: (id: string) => void;
}

/** Sessions are kept this long after `expiresAt`, so that clients learn why their token is refused. */
export const REMEMBERED_MS = 24 * 60 * 60_000;

type MaybePromise<T> = T | Promise<T>;

/**
 * Stores sessions. A session is live until it is ended or `now >= expiresAt`.
 *
 * Each method is atomic, also across processes. An ended session never becomes live again. On failure, a store rejects
 * within a second. It must not report a session as unknown instead. `describeSessionStore` of `kit-auth-testing` tests
 * all of this.
 *
 * @example
 * ```ts
 * export class MySessionStore implements SessionStore {
 *   // create, find, touch, end, endAllOf, keepEnd, listOf, prune
 * }
 *
 * KitAuthSessionModule.forRoot({ store: new MySessionStore() });
 * ```
 */
export interface SessionStore {
  /** Whether `end`, `endAllOf` and `keepEndOfAll` join the transaction of the default user store, if one is open. */
  readonly endsInTransaction?: boolean;
  /**
   * Whether applications and stages with other users may use the same server, as with Redis. Start-up and `npx kit-auth
   * doctor` warn if there is no realm.
   */
  readonly needsRealm?: boolean;
  /**
   * Called at start-up. Throw `IllegalStateException` when the store cannot work.
   *
   * @param realm names the database of the users. Sessions of other realms must stay unknown. Undefined without
   * `needsRealm`, and with a user store of the application that sets no `kit.auth.session.realm`
   */
  open?(realm?: string): Promise<void>;
  /** Adds a session and enforces the limit among the live sessions of its user. @returns false when refused */
  create(session: Session, limit?: SessionLimit): MaybePromise<boolean>;
  /**
   * Adds a session and ends another one of the same user as `replaced`, with the new one as its `successorId`. Limits
   * do not apply. Without this method, a concurrent logout may leave the new session alive.
   *
   * @returns false when the old session is not live; nothing is added then
   */
  replace?(formerId: string, session: Session): MaybePromise<boolean>;
  /**
   * Finds a session, also an ended or expired one, until `REMEMBERED_MS` after its `expiresAt`. With `endsInTransaction`,
   * a session that is found within a transaction does not end before the commit.
   */
  find(id: string): MaybePromise<StoredSession | undefined>;
  /**
   * Finds one or two sessions together with the current user. For stores that contain both. Not called for string ids.
   */
  findWithUser?(
    userId: UserId,
    ids: readonly [string] | readonly [string, string],
  ): Promise<{ sessions: (StoredSession | undefined)[]; user: LoginUser | undefined }>;
  /** Moves `lastSeenAt` forward. Does nothing for ended and unknown sessions. */
  touch(id: string, at: number): MaybePromise<void>;
  /**
   * Ends a live session. If it was replaced, its successor ends.
   *
   * @param onBehalfOf the id of the requesting session; when that is not live, nothing ends
   * @returns whether this call ended it; false for unknown, ended and expired sessions
   */
  end(id: string, by: SessionEnd, now: number, onBehalfOf?: string): MaybePromise<boolean>;
  /**
   * Ends the live sessions of a user, except one.
   *
   * @param onBehalfOf the id of the requesting session; when that is not live, nothing ends
   * @returns how many this call ended
   */
  endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    exceptId?: string,
    onBehalfOf?: string,
  ): MaybePromise<number>;
  /**
   * Stores the end of a session that was never created, because its token contains it. Replaces an earlier entry of the
   * same id. `find` returns it; lists and limits ignore it.
   */
  keepEnd(end: StoredSession): MaybePromise<void>;
  /**
   * Stores the end of a session as `keepEnd` does, unless one is stored for its id. Only needed for `mode: 'stateless'`.
   * Without this method, a logout while the session is replaced may leave the new one alive.
   *
   * @returns the entry that is stored now
   */
  keepFirstEnd?(end: StoredSession): MaybePromise<StoredSession>;
  /**
   * Merges an end of all sessions of a user into the entry `find(end.id)`, as `mergeEnds` does. Only needed for
   * `mode: 'stateless'`. The entry is kept until the latest `expiresAt`; lists and limits ignore it.
   */
  keepEndOfAll?(end: EndOfAll): MaybePromise<void>;
  /** The live sessions of a user, oldest first. */
  listOf(userId: UserId, now: number): MaybePromise<Session[]>;
  /** Deletes a batch of entries that expired more than `REMEMBERED_MS` ago. @returns how many; 0 when none are left */
  prune(now: number): MaybePromise<number>;
  /** Closes the connections that the store itself opened. */
  close?(): Promise<void>;
}
