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
  /** A wrong answer. */
  'factor-failed': true;
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

/**
 * Emitted as `kit-auth.<type>`. Contains no password and no token. `plainText()` has made its strings safe to print.
 */
export interface AuthEvent {
  type: AuthEventType;
  at: Date;
  /**
   * The id of who did it: the current user, or the user who really acts, where `LoginProof.actor` names one. Null before a
   * login, in jobs, and for commands of `npx kit-auth`.
   */
  actorId: UserId | null;
  actor: string | null;
  /** The id of the current user where another user acts as them: the `actor`. Otherwise absent. */
  onBehalfOfId?: UserId;
  /** The username of the current user where another user acts as them. Otherwise absent. */
  onBehalfOf?: string;
  /** The account that it is about, if any. */
  subjectId: UserId | null;
  /** The username of that account, or the code of a role. Null for a login with a name that no account has. */
  subject: string | null;
  success: boolean;
  /** Details, such as the reason of a refusal or the new roles. At most 255 characters. */
  detail: string | null;
  /** The IP address of the request, as the platform reports it. */
  address: string | null;
  /**
   * Present if other credentials of the subject, such as API keys, end with the event. Their next request gets the
   * reason, unless the type of the event determines it.
   */
  endsKeys?: true | SessionEndReason;
  /**
   * Present if all factors of the subject end with the event: passkeys, identities, devices and recovery codes. Somebody else
   * may have added them. Sinks remove them in the transaction of the change.
   */
  endsFactors?: true;
  /**
   * The sessions of the subject that ended with the event: the id of one, or `all`, even if the requesting session
   * stays alive. Absent for changes of the security stamp, which end everything that depends on it.
   */
  endedSessions?: string;
}

/** The members of an event that its author sets. The action adds the rest. */
export interface NotedEvent
  extends
    Pick<AuthEvent, 'type'>,
    Partial<
      Pick<
        AuthEvent,
        'subjectId' | 'subject' | 'success' | 'detail' | 'endsKeys' | 'endsFactors' | 'endedSessions'
      >
    > {
  /**
   * A name for events that may repeat, for example the handler that refused a request. If they repeat for the same user
   * within a minute, the first event is published at once. The rest become one event at the end of that minute, with a
   * detail such as `17 more: NotesController.list: note:read`.
   */
  handler?: string;
  /** False for an event that is too frequent to be stored. Listeners and `committed()` of sinks get it. Default true. */
  kept?: boolean;
}

/**
 * Something that a user or client does, for example a login. The user and the address are read once, when the action
 * begins. The request context is emptied when the client disconnects, but the action may still be running.
 */
export interface AuthAction {
  /** The current user when the action began, also where another user acts as them. Undefined before a login and in jobs. */
  readonly user: LoginUser | undefined;
  /** Runs a function in the request context from when the action began. */
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

/** The types of events that change no account. Sinks that react to changes ignore them. */
export const ATTEMPT_EVENTS = [
  'login',
  'login-failed',
  'login-throttled',
  'access-denied',
] as const satisfies readonly AuthEventType[];

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
  /** Types of events that the sink does not get, such as those of every login. Default: none. */
  readonly ignores?: readonly AuthEventType[];
  /**
   * Stores an event.
   *
   * @param transaction the transaction of the change that the event belongs to, for example an `EntityManager` of
   * TypeORM. When the event cannot be stored, the change is rolled back. Undefined for events without a change, which
   * no request waits for, and for changes in a user store without `transaction()`. Such a change has already been made.
   * It waits for the event, and calls `keep` again after a rejection.
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
