import { Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import type { LoginResult, LoginUser, UserSummary } from '../contract/login-user.js';
import { noteFailedLogin, noteLogin } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { attempting } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { LoginSteps, PasswordCheck } from './password.check.js';

/** `token`, `user`, and the members that long-lived logins add. */
export type LoginAnswer = LoginResult & {
  /** The end of the login in seconds since 1970. `TransportExchanges.write` tells the transport and does not send it. */
  readonly endsAt?: number | undefined;
} & Readonly<Record<string, unknown>>;

/** Issues the tokens of logins. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Issues a token and stores the time of the login.
   *
   * @param issue default: `issueToken` of the implementation
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300. No token is left then
   */
  async issue(
    { user, stamp, proof }: VerifiedLogin,
    action: AuthAction,
    issue: () => Promise<string> = () => this.ports.requireProvider().issueToken(user, proof),
  ): Promise<string> {
    await attempting('the user store', async () => this.users.requireId(user.userId));
    const token = await action.run(issue);
    try {
      await attempting('the login', async () => this.requireOwn(token));
      await this.noteLogin({ user, stamp }, action);
    } catch (error) {
      // A login with the old password fails if the password is changed at the same time.
      await this.ports.requireProvider().invalidate(token);
      throw error;
    }
    return token;
  }

  /** @throws IllegalStateException for a token that a credential would resolve */
  private requireOwn(token: string): void {
    if (this.ports.credentialOf(token) !== undefined) {
      throw new IllegalStateException(
        `A credential resolves tokens that begin like those of ${this.ports.requireProvider().extensionName}. Give the credential ` +
          'another prefix.',
      );
    }
  }

  /**
   * Stores the time of a login, or of its confirmation.
   *
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300
   */
  async noteLogin({ user, stamp }: Pick<VerifiedLogin, 'user' | 'stamp'>, action: AuthAction): Promise<void> {
    if (!(await this.users.noteLogin(user.userId, stamp))) {
      const about = { subjectId: user.userId, subject: user.username };
      action.note({ type: 'login-failed', ...about, success: false, detail: 'changed' });
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
  }
}

/**
 * The path of a login: throttle, credentials, steps, token.
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
    private readonly tokens: TokenIssuer,
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
    const verified = await this.verifying(() => this.passwords.logIn(attempt, password));
    return this.complete(verified, attempt);
  }

  /**
   * Continues a login: runs the steps that are not in `login.passed`, then issues the token, stores the time, and publishes
   * the event.
   *
   * @param login as `LoginStep.afterPassword` received it, with the factors that were shown since
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300, and what the remaining
   * steps throw
   */
  async complete(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginAnswer> {
    const answer = await this.verifying(() => this.open(login, attempt));
    noteLogin();
    return answer;
  }

  /** Runs a check of a factor at login. Publishes failures on the diagnostics channel of logins. */
  async verifying<T>(check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      noteFailedLogin(error);
      throw error;
    }
  }

  private async open(begun: VerifiedLogin, attempt: LoginAttempt): Promise<LoginAnswer> {
    const login = await this.steps.afterPassword(begun, attempt);
    const { user, stamp } = login;
    const { action, client } = attempt;
    await this.steps.succeeded(login, attempt);
    const { proof, answer, endsAt } = await action.run(() => this.logins.open(login, client));
    const token = await this.tokens.issue({ user, stamp, proof }, action).catch(async (error: unknown) => {
      await this.logins.end({ user, proof });
      throw error;
    });
    action.note({ type: 'login', subjectId: user.userId, subject: user.username });
    return { ...answer, token, user: summaryOf(user), ...(endsAt !== undefined && { endsAt }) };
  }
}

/** The members of a user that answers contain. */
export function summaryOf({ userId, username, nickname, superAdmin }: LoginUser): UserSummary {
  return { userId, username, nickname, superAdmin };
}
