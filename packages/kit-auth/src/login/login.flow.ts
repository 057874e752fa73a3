import { Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import type { LoginResult, LoginUser, UserSummary } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveLogins } from '../provider/active.logins.js';
import { ActiveProvider } from '../provider/active.provider.js';
import { attempting, failureOf, IMPLEMENTATION } from '../provider/failure.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { LoginSteps } from './login.steps.js';
import { PasswordCheck } from './password.check.js';

/** `token`, `user`, and what long-lived logins add. */
export type LoginAnswer = LoginResult & {
  /** The end of the login in seconds since 1970. `TransportExchanges.write` tells the transport and does not send it. */
  readonly endsAt?: number | undefined;
} & Readonly<Record<string, unknown>>;

/**
 * The way of a login: throttle, credentials, steps, token.
 *
 * @example
 * // In the endpoint that takes the second factor of a login:
 * const action = this.events.begin();
 * const login = await this.challenges.claim(challenge, code); // a VerifiedLogin
 * return this.flow.complete(login, { username: login.user.username, isPossible: true, action, client });
 */
@Injectable()
export class LoginFlow {
  constructor(
    private readonly active: ActiveProvider,
    private readonly passwords: PasswordCheck,
    private readonly steps: LoginSteps,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Logs a user in with a password.
   *
   * @throws AuthException 40110 wrong user name or password, 40111 account disabled, 42900 too many attempts, 50300
   * database not answering or too many logins at once, and what the steps of the login throw
   */
  async logIn(username: string, password: string): Promise<LoginAnswer> {
    this.active.get();
    const attempt = this.passwords.attempt(username, password, this.events.begin());
    return this.complete(await this.passwords.logIn(attempt, password), attempt);
  }

  /**
   * Completes a login once the user has shown all that is needed: issues the token, stores the time, publishes the
   * event.
   *
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300
   */
  async complete(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginAnswer> {
    const { user, stamp } = login;
    const { action, client } = attempt;
    await this.steps.succeeded(login, attempt);
    const { proof, answer, endsAt } = await action.run(() => this.logins.open(login, client));
    const token = await this.issue(user, proof, action).catch(async (error: unknown) => {
      await this.logins.end({ user, proof });
      throw error;
    });
    try {
      if (!(await this.users.noteLogin(user.userId, stamp))) {
        throw changedMeanwhile(user, action);
      }
    } catch (error) {
      // A login with the old password fails if the password is changed at the same time.
      await attempting(IMPLEMENTATION, () => this.active.get().invalidate(token), token);
      await this.logins.end({ user, proof });
      throw error;
    }
    action.note({ type: 'login', subjectId: user.userId, subject: user.username });
    return { ...answer, token, user: summaryOf(user), ...(endsAt !== undefined && { endsAt }) };
  }

  private async issue(user: LoginUser, proof: VerifiedLogin['proof'], action: AuthAction): Promise<string> {
    const token: unknown = await attempting(IMPLEMENTATION, async () => {
      this.users.requireId(user.userId);
      return action.run(() => this.active.get().issueToken(user, proof));
    });
    if (typeof token !== 'string' || token === '') {
      throw failureOf(new TypeError('issueToken returned no token'), IMPLEMENTATION);
    }
    return token;
  }
}

/** What answers say of a user, and nothing more. */
export function summaryOf({ userId, username, nickname, superAdmin }: LoginUser): UserSummary {
  return { userId, username, nickname, superAdmin };
}

function changedMeanwhile({ userId, username }: LoginUser, action: AuthAction): AuthException {
  const about = { subjectId: userId, subject: username };
  action.note({ type: 'login-failed', ...about, success: false, detail: 'changed' });
  return new AuthException(AuthErrorCode.LOGIN_FAILED);
}
