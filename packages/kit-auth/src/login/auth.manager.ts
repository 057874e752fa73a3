import { Injectable, Logger } from '@nestjs/common';
import type { AuthSessions, EndAllOptions } from '../contract/auth-sessions.js';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginResult, LoginUser, UserSummary } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError } from '../errors/describe-error.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { AuthEvents } from '../events/auth-events.js';
import { Credentials } from './credentials.js';
import { LoginThrottle } from '../throttle/login.throttle.js';
import { ActiveProvider } from '../provider/active.provider.js';

/**
 * Login, resolution and logout with the implementation of the application. Every method rejects with
 * `AuthException` 50300 when the implementation fails in a way of its own, and with `IllegalStateException` while
 * `kit.auth.enabled` is false.
 */
@Injectable()
export class AuthManager {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly active: ActiveProvider,
    private readonly credentials: Credentials,
    private readonly throttle: LoginThrottle,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Logs a user in: looks the account up, compares the password, checks the status, builds the user, and has the
   * implementation issue a token. All but the last is under the throttle.
   *
   * @throws AuthException 40110 wrong user name or password, 40111 account disabled, 42900 too many attempts, 50300
   * database not answering or too many logins at once
   */
  async login(username: string, password: string): Promise<LoginResult> {
    const provider = this.active.get();
    const action = this.events.begin();
    const isPossible = this.credentials.canSucceed(username, password);
    const check = (turn: HashTurn) => this.credentials.check(username, password, action, turn);
    const checked = await this.throttle.guard(username, check, { action, isPossible });
    const { user } = checked;
    const token: unknown = await this.attempt(() => action.run(() => provider.issueToken(user)));
    if (typeof token !== 'string' || token === '') {
      throw this.unavailable('issueToken gave no token');
    }
    try {
      await this.credentials.noteLogin(checked, action);
    } catch (error) {
      await this.attempt(() => provider.invalidate(token), token);
      throw error;
    }
    action.note({ type: 'login', subjectId: user.userId, subject: user.username });
    return { token, user: summaryOf(user) };
  }

  /** @throws AuthException 40101 for a token that is expired, altered or not one of ours */
  async getLoginUser(token: string): Promise<LoginUser> {
    return this.resolve(token);
  }

  /** `getLoginUser` without a promise where the implementation needs none. */
  resolve(token: string): LoginUser | Promise<LoginUser> {
    const provider = this.active.get();
    try {
      const user = provider.resolveToken(token);
      return isPromiseLike(user)
        ? Promise.resolve(user).then(
            (resolved) => this.checked(resolved),
            (error: unknown) => Promise.reject(this.translated(error, token)),
          )
        : this.checked(user);
    } catch (error) {
      throw this.translated(error, token);
    }
  }

  /** Whether a token was issued while its user had this security stamp; true where the implementation cannot tell. */
  isIssuedFor(token: string, stamp: string): boolean {
    return this.active.get().isIssuedFor?.(token, stamp) ?? true;
  }

  /** Ends a token, where the implementation can: `kit-auth-session` does, `kit-auth-jwt` does nothing. */
  async logout(token: string): Promise<void> {
    const provider = this.active.get();
    await this.attempt(() => provider.invalidate(token), token);
  }

  /** Who is logged in. @throws AuthException 50100 where the implementation does not know */
  sessions(): AuthSessions {
    const { sessions } = this.active.get();
    if (sessions === undefined) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    return {
      currentId: () => sessions.currentId(),
      listOf: (userId) => this.attempt(() => sessions.listOf(userId)),
      end: (userId, id, reason) => this.attempt(() => sessions.end(userId, id, reason)),
      endAllOf: (userId, options) => this.attempt(() => sessions.endAllOf(userId, options)),
    };
  }

  hasSessions(): boolean {
    return this.active.get().sessions !== undefined;
  }

  /** Whether the ends of sessions are part of the transaction of a change. */
  endsSessionsInTransaction(): boolean {
    return this.active.get().sessions?.endsInTransaction === true;
  }

  /** The session of the current request; undefined where there is none, or where the implementation has no sessions. */
  currentSessionId(): string | undefined {
    return this.active.get().sessions?.currentId();
  }

  /** Ends the sessions of a user, or all but one. Does nothing where the implementation has no sessions. */
  async endSessionsOf(userId: number, options: EndAllOptions): Promise<void> {
    if (this.hasSessions()) {
      await this.sessions().endAllOf(userId, options);
    }
  }

  /** Says that a user was changed, or any number of them, so that no copy of them lives on. */
  userChanged(userId?: number): void {
    this.active.get().userChanged?.(userId);
  }

  private checked(user: unknown): LoginUser {
    if (isLoginUser(user)) {
      return frozen(user);
    }
    this.logger.error(
      `[auth] ${this.active.get().extensionName} resolved a token to something that is no user`,
    );
    throw new AuthException(AuthErrorCode.TOKEN_INVALID);
  }

  private async attempt<T>(work: () => Promise<T>, token?: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.translated(error, token);
    }
  }

  private translated(error: unknown, token = ''): AuthException {
    if (error instanceof AuthException) {
      return error;
    }
    const text = describeError(error);
    return this.unavailable(token === '' ? text : text.replaceAll(token, '<token>'), error);
  }

  private unavailable(why: string, cause?: unknown): AuthException {
    this.logger.error(`[auth] the authentication implementation failed: ${why}`);
    // What is put together wrongly does not come right by trying again.
    const retryAfter = cause instanceof IllegalStateException ? undefined : 1;
    return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter, cause });
  }
}

/** What answers carry of a user, and nothing more. */
export function summaryOf({ userId, username, nickname, superAdmin }: LoginUser): UserSummary {
  return { userId, username, nickname, superAdmin };
}

/** What a handler writes to its user must not reach another request, where an implementation shares the object. */
function frozen(user: LoginUser): LoginUser {
  if (!Object.isFrozen(user)) {
    Object.freeze(user.roles);
    Object.freeze(user.permissions);
    Object.freeze(user);
  }
  return user;
}

function isPromiseLike(value: unknown): value is PromiseLike<LoginUser> {
  return typeof (value as PromiseLike<LoginUser> | undefined)?.then === 'function';
}

function isLoginUser(value: unknown): value is LoginUser {
  const user = (value ?? {}) as Partial<Record<keyof LoginUser, unknown>>;
  return (
    typeof user.userId === 'number' &&
    typeof user.username === 'string' &&
    typeof user.nickname === 'string' &&
    typeof user.superAdmin === 'boolean' &&
    Array.isArray(user.roles) &&
    Array.isArray(user.permissions)
  );
}
