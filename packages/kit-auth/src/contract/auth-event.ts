import type { EntityManager } from 'typeorm';
import type { LoginUser } from './login-user.js';

/** What happens to accounts, roles and access. */
export type AuthEventType =
  | 'login'
  | 'login-failed'
  | 'login-throttled'
  | 'logout'
  | 'sessions-ended'
  | 'password-changed'
  | 'password-reset'
  | 'user-created'
  | 'user-changed'
  | 'user-status-changed'
  | 'user-roles-changed'
  | 'user-unlocked'
  | 'user-deleted'
  | 'role-created'
  | 'role-changed'
  | 'role-deleted'
  | 'access-denied';

/** Emitted as `kit-auth.<type>`. Holds no password and no token; its texts are as `plainText()` makes them. */
export interface AuthEvent {
  type: AuthEventType;
  at: Date;
  /** Who did it: the current user; null before a login and in jobs. */
  actorId: number | null;
  actor: string | null;
  /** Whom it is about, where that is an account. */
  subjectId: number | null;
  /** The username of that account, or the code of a role. Null for a login with a name that no account has. */
  subject: string | null;
  success: boolean;
  /** More on it, for example the reason of a refusal or the new roles. At most 255 characters. */
  detail: string | null;
  /** Where the request came from, as the platform tells it. */
  address: string | null;
}

/** What whoever notes an event says of it; the rest is known. */
export interface NotedEvent
  extends Pick<AuthEvent, 'type'>, Partial<Pick<AuthEvent, 'subjectId' | 'subject' | 'success' | 'detail'>> {
  /**
   * What refused a request. Of the refusals of one user by one handler within a minute the first is an event, and the
   * others together are one at the end of that minute: `17 more: ` precedes its detail.
   */
  handler?: string;
}

/**
 * Something that somebody does, for example a login. Who does it and from where is read once, when it begins: the
 * request context is empty as soon as the client hangs up, and the action goes on.
 */
export interface AuthAction {
  /** The current user at the beginning; undefined before a login and in jobs. */
  readonly user: LoginUser | undefined;
  /** Runs a function in the request context as it was at the beginning. */
  run<T>(fn: () => T): T;
  /** Tells of an event that changes nothing. Nobody waits for it, and its listeners' failures are logged. */
  note(event: NotedEvent): void;
  /** Keeps the event of a change in the change's own transaction; `AuthEvents.emit()` it when that has ended. */
  keep(event: NotedEvent, manager: EntityManager): Promise<AuthEvent>;
}

/** Contribute `{ provide: AUTH_EVENT_SINK, useClass: ... }` to keep events. */
export const AUTH_EVENT_SINK = Symbol.for('kit-auth.event-sink');

export interface AuthEventSink {
  /**
   * Keeps an event. With a `manager` it belongs to the change that this transaction makes: when it cannot be kept
   * the change is not made. Without one nobody waits for it.
   */
  keep(event: AuthEvent, manager?: EntityManager): Promise<void>;
  /**
   * Keeps several events that belong to no change, all of them or none. Without this method they are given to `keep`
   * one after the other.
   */
  keepAll?(events: readonly AuthEvent[]): Promise<void>;
}
