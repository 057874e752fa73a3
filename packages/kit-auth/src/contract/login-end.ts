import type { SessionEndReason } from './auth-sessions.js';
import type { UserId } from './user-id.js';

/**
 * Injection token of listeners for the ends of logins. Any module may contribute any number of them.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: LOGIN_END_LISTENER, useClass: SocketCloser }] })
 * export class SocketCloserModule {}
 * ```
 */
export const LOGIN_END_LISTENER = Symbol.for('kit-auth.login-end-listener');

/** Logins of one user that have ended: one of them with a `loginId`, otherwise all of them, or all but one. */
export interface LoginEnd {
  readonly userId: UserId;
  /**
   * The id of the login that ended, as in `LoginProof.loginId` and `SessionInfo.id`. If that login had been replaced at
   * `POST fresh`, the one that replaced it has ended.
   */
  readonly loginId?: string | undefined;
  /** Without `loginId`: the id of the login that stays alive. */
  readonly exceptId?: string | undefined;
  readonly reason: SessionEndReason;
}

/**
 * Hears of the ends of logins, for example to close connections that outlive their first request.
 *
 * A call is a hint to look again, not a proof. It may come from a transaction that is rolled back or not yet committed, it
 * reaches only the process in which the login ended, and none is made for what no process notices: the end of a token's
 * time, or a new security stamp, which events report. A login that was idle for too long is reported when a request finds
 * it over.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class SocketCloser implements LoginEndListener {
 *   constructor(private readonly sockets: Sockets) {}
 *
 *   ended({ userId }: LoginEnd): void {
 *     this.sockets.checkSoon(userId);
 *   }
 * }
 * ```
 */
export interface LoginEndListener {
  /** It must return at once. Nothing waits for a promise. Errors are logged, and change nothing for the request. */
  ended(end: LoginEnd): void;
}
