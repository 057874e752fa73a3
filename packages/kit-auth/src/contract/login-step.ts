import type { AuthAction } from './auth-event.js';
import type { Client } from './client.js';
import type { HashTurn } from './hash-turn.js';
import type { LoginProof, ResolvedLogin } from './login-proof.js';
import type { LoginUser } from './login-user.js';

/**
 * Injection token of steps of the login. Any module may contribute any number of them. The login throttle is one.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: LOGIN_STEP, useClass: SecondFactorStep }] })
 * export class SecondFactorModule {}
 * ```
 */
export const LOGIN_STEP = Symbol.for('kit-auth.login-step');

/**
 * Runs around the password check, after it, or both.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class SecondFactorStep implements LoginStep {
 *   constructor(private readonly factors: Factors) {}
 *
 *   async afterPassword({ user }: VerifiedLogin): Promise<undefined> {
 *     if (await this.factors.hasSecondFactor(user.userId)) {
 *       throw new AuthException(AuthErrorCode.SECOND_FACTOR_REQUIRED);
 *     }
 *   }
 * }
 * ```
 */
export interface LoginStep {
  /**
   * Names the step in `VerifiedLogin.passed`. Default: the name of its class. Two steps with `afterPassword` must not have
   * the same name.
   */
  readonly name?: string;
  /**
   * Steps run in ascending order; those around the check nest, the lowest outermost. Default 100; the throttle is 0.
   */
  readonly order?: number;
  /**
   * How long its methods may take in milliseconds, for a step that has to wait, for example until the user confirms the login
   * on a phone: 1 to 2147483647. Then the login fails with 50300. The time of `check` in `around` does not count. Default:
   * `kit.auth.extensionTimeoutMs`.
   */
  readonly timeoutMs?: number;
  /**
   * Runs around the check of a password, at login and wherever else a password is asked for. Return what `check`
   * resolves to, or throw an `AuthException` to refuse the attempt.
   *
   * @param check looks the user up and compares the password; rejects with 40110 when it is wrong, with 40111 when the
   * account is disabled, and with whatever the steps inside throw. A turn decides the place in the queue for hashes.
   */
  around?(attempt: LoginAttempt, check: (turn?: HashTurn) => Promise<VerifiedLogin>): Promise<VerifiedLogin>;
  /**
   * Runs once for each login, after the first factor. No token has been issued yet. Throw an `AuthException` to stop the
   * login, for example 40112 `SECOND_FACTOR_REQUIRED`. To continue a stopped login in another request, keep `login` and
   * pass it to `LoginFlow.complete()`, which runs the remaining steps.
   *
   * @param login its `passed` includes this step
   * @returns the proof to go on with when the step adds a factor; undefined leaves it as it is
   */
  afterPassword?(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginProof | undefined>;
  /**
   * Runs once an attempt has succeeded: a login before its token is issued, any other check of a password before what
   * it allows. After a login that was completed later, for example with a second factor, `around` has not seen the
   * attempt.
   */
  succeeded?(login: VerifiedLogin, attempt: LoginAttempt): Promise<void>;
  /**
   * The second factors of a user, for example `['totp']`. `@RequireFresh({ factors: 'full' })` asks for one of them
   * besides the password. Asked for every request to such a route, so return no promise when no I/O is needed.
   */
  secondFactorsOf?(user: LoginUser): readonly string[] | Promise<readonly string[]>;
  /**
   * Verifies a factor for `POST fresh { factor, code }`, which confirms the login of the current user. The factors of the
   * returned proof are added to the login.
   *
   * @returns undefined when the factor is not one of this step
   * @throws AuthException 40113 for a wrong code, 42900 after too many attempts
   */
  verifyFactor?(shown: ShownFactor, attempt: LoginAttempt): Promise<VerifiedLogin | undefined>;
  /**
   * Whether the user needs a login with a second factor first. If so, all protected routes except those with
   * `@BeforeEnrolment()` answer 40303. Called for every request with a token of a login, so it must not need I/O.
   */
  needsEnrolment?(login: ResolvedLogin): boolean;
}

/** A second factor that the current user shows to confirm the login. */
export interface ShownFactor {
  readonly user: LoginUser;
  /** For example `totp`. */
  readonly factor: string;
  readonly code: string;
}

/** An attempt to show a password. */
export interface LoginAttempt {
  readonly username: string;
  /** False when no account can have this name, or no hash this password. */
  readonly isPossible: boolean;
  /** Who acts and from where, taken when the attempt began. */
  readonly action: AuthAction;
  /** Undefined outside of requests. */
  readonly client: Client | undefined;
}

/** A user whose password was right. */
export interface VerifiedLogin {
  readonly user: LoginUser;
  /** The user's security stamp when the password was compared. */
  readonly stamp: string;
  readonly proof: LoginProof;
  /**
   * The names of the steps that have run for this login, or that have stopped it. `LoginFlow.complete()` runs all others.
   * A challenge has to keep them with the proof. Default: none.
   */
  readonly passed?: readonly string[];
}
