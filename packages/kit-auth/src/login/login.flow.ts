import { Injectable } from '@nestjs/common';
import { currentExchange, KitAuthContext } from '../context/kit-auth.context.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { BegunLogin, LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import type { LoginProof } from '../contract/login-proof.js';
import type { LoginResult, LoginUser, UserSummary } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import { noteFailedLogin, noteLogin } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { attempting } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { LoginSteps } from './login.steps.js';

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
   * @param opened called with the token, before anybody else has it
   * @throws AuthException 40110 when the user was changed since the factor was checked, 50300. No token is left then
   */
  async issue(
    { user, stamp, proof }: VerifiedLogin,
    action: AuthAction,
    issue: () => Promise<string> = () => this.ports.requireProvider().issueToken(user, proof),
    opened?: (token: string) => Promise<void>,
  ): Promise<string> {
    await attempting('the user store', async () => this.users.requireId(user.userId));
    const token = await action.run(issue);
    try {
      await attempting('the login', async () => this.requireOwn(token));
      await this.noteLogin({ user, stamp }, action);
      await opened?.(token);
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
        `A credential resolves tokens that begin like those of ${this.ports.requireProvider().extensionName}, or have their ` +
          'issuer. Give the credential another prefix or issuer.',
      );
    }
  }

  /**
   * Stores the time of a login, or of its confirmation.
   *
   * @throws AuthException 40110 when the user was changed since the factor was checked, 50300
   */
  async noteLogin({ user, stamp }: Pick<VerifiedLogin, 'user' | 'stamp'>, action: AuthAction): Promise<void> {
    if (!(await this.users.noteLogin(user.userId, stamp))) {
      const about = { subjectId: user.userId, subject: user.username };
      action.note({ type: 'login-failed', ...about, success: false, detail: 'changed' });
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
  }
}

/** A login that has passed its steps. */
export interface PassedLogin {
  readonly login: VerifiedLogin;
  readonly attempt: LoginAttempt;
}

/**
 * The path of a login after its first factor: steps, token, event.
 *
 * @example
 * ```ts
 * const begun = this.flow.begin('card', request); // before the first await
 * const { user, stamp } = await this.flow.verifying(() => this.cards.ownerOf(request));
 * const proof = { factors: { card: Math.floor(Date.now() / 1000) } };
 * const attempt = { ...begun, username: user.username };
 * return this.flow.proceed({ user, stamp, proof }, attempt);
 * ```
 */
@Injectable()
export class LoginFlow {
  constructor(
    private readonly active: ActiveProvider,
    private readonly steps: LoginSteps,
    private readonly tokens: TokenIssuer,
    private readonly logins: ActiveLogins,
    private readonly users: ActiveUserStore,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Begins an attempt to log in. Call this before the first `await`.
   *
   * @param first the first factor, for example `passkey`
   * @param request its parsed body has what steps ask for. See `LoginStep.fields`
   * @throws IllegalStateException while `kit.auth.enabled` is false
   */
  begin(first: string, request?: { readonly body?: unknown }): BegunLogin {
    this.active.get();
    const fields = this.steps.fieldsOf(request?.body);
    return { first, fields, action: this.events.begin(), client: this.context.client(), isPossible: true };
  }

  /**
   * Logs in a user who has been identified by other means than a password.
   *
   * @param factors what the user has shown, with the times in seconds since 1970
   * @throws AuthException 40111 for an account that is unknown or disabled, 50300, and what the steps of the login throw
   */
  async logInAs(userId: UserId, factors: LoginProof['factors'], begun: BegunLogin): Promise<LoginAnswer> {
    const verified = await this.verifying(() => this.identify(userId, factors, begun));
    return this.proceed(verified, { ...begun, username: verified.user.username });
  }

  /**
   * Loads a user who has shown a first factor.
   *
   * @throws AuthException 40111 for an account that is unknown or disabled, 50300
   */
  async identify(
    userId: UserId,
    factors: LoginProof['factors'],
    { action }: BegunLogin,
  ): Promise<VerifiedLogin> {
    // First, so that a change in between is noticed.
    const stamp = this.users.has('stampOf') ? await this.users.stampOf(userId) : '';
    const user = await this.users.loadLoginUser(userId);
    if (user === undefined || stamp === undefined) {
      const detail = AuthErrorCode[AuthErrorCode.USER_DISABLED];
      action.note({ type: 'login-failed', subjectId: userId, success: false, detail });
      throw AuthException.refusal(AuthErrorCode.USER_DISABLED);
    }
    return { user, stamp, proof: { factors } };
  }

  /**
   * Continues a login after its first factor: runs all steps, then issues the token, stores the time, and publishes the
   * event.
   *
   * @throws AuthException like `resume`
   */
  proceed(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginAnswer> {
    return this.resume({ ...login, passed: [] }, attempt);
  }

  /**
   * Continues a login that a step has stopped: runs the steps that are not in `login.passed`, then issues the token,
   * stores the time, and publishes the event.
   *
   * @param login as `LoginStep.afterFirstFactor` received it, with the factors that were shown since
   * @throws AuthException 40110 when the user was changed since the first factor was checked, 50300, and what the
   * remaining steps throw
   */
  resume(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginAnswer> {
    return this.open(async () => ({ login: await this.steps.afterFirstFactor(login, attempt), attempt }));
  }

  /**
   * Opens a login whose steps have run: issues the token, stores the time, and publishes the event.
   *
   * @param pass runs the steps
   * @throws AuthException 40110 when the user was changed since the first factor was checked, 50300, and what `pass` throws
   */
  async open(pass: () => Promise<PassedLogin>): Promise<LoginAnswer> {
    const answer = await this.verifying(async () => this.issue(await pass()));
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

  private async issue({ login, attempt }: PassedLogin): Promise<LoginAnswer> {
    const { user, stamp } = login;
    const { action, client, first } = attempt;
    await this.steps.succeeded(login, attempt);
    const { proof, answer, endsAt } = await action.run(() =>
      this.logins.open(login, client, currentExchange()?.request),
    );
    const opened = (token: string) =>
      this.steps.opened({ user, loginId: this.logins.idOf(token, proof), endsAt }, attempt);
    const token = await this.tokens
      .issue({ user, stamp, proof }, action, undefined, opened)
      .catch(async (error: unknown) => {
        await this.logins.end({ user, proof });
        throw error;
      });
    const detail = first === 'password' ? {} : { detail: first };
    action.note({ type: 'login', subjectId: user.userId, subject: user.username, ...detail });
    return { ...answer, token, user: summaryOf(user), ...(endsAt !== undefined && { endsAt }) };
  }
}

/** The members of a user that answers contain. */
export function summaryOf({ userId, username, nickname, superAdmin }: LoginUser): UserSummary {
  return { userId, username, nickname, superAdmin };
}
