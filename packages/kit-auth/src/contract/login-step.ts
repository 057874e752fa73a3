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
   * Steps run in ascending order. `around` methods nest, with the lowest order outermost. Default 100. The throttle has
   * 0.
   */
  readonly order?: number;
  /**
   * How long its methods may take in milliseconds, for a step that has to wait, for example until the user confirms the login
   * on a phone: 1 to 2147483647. Then the login fails with 50300. The time of `check` in `around` does not count. Default:
   * `kit.auth.extensionTimeoutMs`.
   */
  readonly timeoutMs?: number;
  /**
   * Runs around every check of a password, at login and elsewhere. Return the result of `check`, or throw an
   * `AuthException` to refuse the attempt.
   *
   * @param check looks up the user and compares the password. Rejects with 40110 for a wrong password, with 40111 for a
   * disabled account, and with the errors of inner steps. A turn determines the place in the queue for hashes.
   */
  around?(attempt: LoginAttempt, check: (turn?: HashTurn) => Promise<VerifiedLogin>): Promise<VerifiedLogin>;
  /**
   * Runs once for each login, after the first factor. No token has been issued yet. Throw an `AuthException` to stop the
   * login, for example 40112 `SECOND_FACTOR_REQUIRED`. To continue a stopped login in another request, keep `login` and
   * pass it to `LoginFlow.complete()`, which runs the remaining steps.
   *
   * @param login the login. Its `passed` includes this step
   * @returns the new proof if the step adds a factor; undefined to keep the proof
   */
  afterPassword?(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginProof | undefined>;
  /**
   * Runs after a successful attempt: for a login before its token is issued, for any other check of a password before
   * the action that it allows. If a login is completed later, for example with a second factor, `around` does not run
   * in that request.
   */
  succeeded?(login: VerifiedLogin, attempt: LoginAttempt): Promise<void>;
  /**
   * The second factors of a user, for example `['totp']`. `@RequireFresh({ factors: 'full' })` requires one of them
   * besides the password. Called for every request to such a route, so return no promise when no I/O is needed.
   */
  secondFactorsOf?(user: LoginUser): readonly string[] | Promise<readonly string[]>;
  /**
   * Verifies a factor for `POST fresh { factor, code }`, which confirms the login of the current user. The factors of the
   * returned proof are added to the login.
   *
   * @returns undefined when this step does not know the factor
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

/** An attempt with a password. */
export interface LoginAttempt {
  readonly username: string;
  /** False when no account can have this name, or no hash can match this password. */
  readonly isPossible: boolean;
  /** The action, with the user and the address from when the attempt began. */
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
   * The names of the steps that have run for this login, or that have stopped it. `LoginFlow.complete()` runs all
   * others. A challenge must store them with the proof. Default: none.
   */
  readonly passed?: readonly string[];
}
