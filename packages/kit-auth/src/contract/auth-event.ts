import type { SessionEndReason } from './auth-sessions.js';
import type { LoginUser } from './login-user.js';
import type { UserId } from './user-id.js';

/**
 * The types of events. Packages add their own by declaration merging:
 *
 * @example
 * declare module 'kit-auth' {
 *   interface AuthEventTypes {
 *     'key-created': true;
 *   }
 * }
 */
export interface AuthEventTypes {
  login: true;
  'login-failed': true;
  'login-throttled': true;
  'login-confirmed': true;
  /** A login was ended after twenty wrong passwords or codes at `POST fresh`: its token may be stolen. */
  'login-ended': true;
  logout: true;
  'sessions-ended': true;
  'password-changed': true;
  'password-reset': true;
  'user-created': true;
  'user-changed': true;
  'user-status-changed': true;
  'user-roles-changed': true;
  'user-unlocked': true;
  'user-deleted': true;
  'role-created': true;
  'role-changed': true;
  'role-deleted': true;
  'access-denied': true;
}

export type AuthEventType = keyof AuthEventTypes;

/** Emitted as `kit-auth.<type>`. Contains no password and no token. `plainText()` has made its texts safe to print. */
export interface AuthEvent {
  type: AuthEventType;
  at: Date;
  /** Who did it: the current user. Null before a login, in jobs, and for commands of `npx kit-auth`. */
  actorId: UserId | null;
  actor: string | null;
  /** The account that it is about, if any. */
  subjectId: UserId | null;
  /** The username of that account, or the code of a role. Null for a login with a name that no account has. */
  subject: string | null;
  success: boolean;
  /** For example the reason of a refusal, or the new roles. At most 255 characters. */
  detail: string | null;
  /** The IP address of the request, as the platform reports it. */
  address: string | null;
  /**
   * Present where the credentials of the subject that are not sessions end with the event, such as API keys. A reason is
   * what their next request is told, if the type of the event does not say it.
   */
  endsKeys?: true | SessionEndReason;
  /**
   * The sessions of the subject that ended with it: the id of one, or `all`, also where the one that asked goes on. Absent
   * for changes of the security stamp, on which everything that a user has been given depends.
   */
  endedSessions?: string;
}

/** What the author of an event says. The action adds the rest. */
export interface NotedEvent
  extends
    Pick<AuthEvent, 'type'>,
    Partial<Pick<AuthEvent, 'subjectId' | 'subject' | 'success' | 'detail' | 'endsKeys' | 'endedSessions'>> {
  /**
   * Names what may repeat itself, for example the handler that refused a request. When that happens to the same user
   * repeatedly within a minute, the first event is published at once. The rest become one event at the end of that
   * minute, with a detail such as `17 more: NotesController.list: note:read`.
   */
  handler?: string;
  /** False for an event that listeners hear of, and that no sink stores: it happens too often. Default true. */
  kept?: boolean;
}

/**
 * Something that somebody does, for example a login. Who acts and from where is read once, when the action begins. The
 * request context is emptied when the client disconnects, but the action may still be running.
 */
export interface AuthAction {
  /** The current user when the action began. Undefined before a login and in jobs. */
  readonly user: LoginUser | undefined;
  /** Runs a function in the request context as it was when the action began. */
  run<T>(fn: () => T): T;
  /**
   * Publishes an event that belongs to no change. It does not wait for sinks and listeners; their failures are logged.
   */
  note(event: NotedEvent): void;
  /**
   * Stores the event of a change in the change's own transaction, or by itself if the change has none. Pass the result to
   * `AuthEvents.emit()` once the transaction is committed. Otherwise listeners and `AuthEventSink.committed()` are not
   * called, and no notice is sent.
   */
  keep(event: NotedEvent, transaction: unknown): Promise<AuthEvent>;
}

/**
 * Injection token of stores for events. Any module may contribute any number of them.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_EVENT_SINK, useClass: EventFile }] })
 * export class EventFileModule {}
 * ```
 */
export const AUTH_EVENT_SINK = Symbol.for('kit-auth.event-sink');

/**
 * Stores events.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class EventFile implements AuthEventSink {
 *   async keep(event: AuthEvent): Promise<void> {
 *     await appendFile('events.log', `${JSON.stringify(event)}\n`);
 *   }
 * }
 * ```
 */
export interface AuthEventSink {
  /** Types of events that the sink is not called with, such as those of every login. Default: none. */
  readonly ignores?: readonly AuthEventType[];
  /**
   * Stores an event.
   *
   * @param transaction the transaction of the change that the event belongs to, for example an `EntityManager` of
   * TypeORM. When the event cannot be stored, the change is rolled back. Undefined for events that belong to no change,
   * which nothing waits for, and for changes in a user store without `transaction()`. Such a change is made already: it
   * waits for the event, and a rejection leads to a second call.
   */
  keep(event: AuthEvent, transaction?: unknown): Promise<void>;
  /**
   * Stores several events that belong to no change: all of them or none. Without this method, `keep` is called for one
   * event after another.
   */
  keepAll?(events: readonly AuthEvent[]): Promise<void>;
  /**
   * Called with each event: after the commit if it belongs to a change, otherwise immediately. Also called for events
   * that are not kept. It must return at once.
   */
  committed?(event: AuthEvent): void;
}
