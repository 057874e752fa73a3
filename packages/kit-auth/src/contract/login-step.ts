import type { AuthAction } from './auth-event.js';
import type { Client } from './client.js';
import type { HashTurn } from './hash-turn.js';
import type { LoginProof } from './login-proof.js';
import type { LoginUser } from './login-user.js';

/**
 * Injection token of steps of the login. Any module may contribute any number of them. The login throttle is one.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: LOGIN_STEP, useClass: TermsStep }] })
 * export class TermsModule {}
 * ```
 */
export const LOGIN_STEP = Symbol.for('kit-auth.login-step');

/**
 * Runs around the password check, after the first factor of a login, or both.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class TermsStep implements LoginStep {
 *   constructor(private readonly terms: Terms) {}
 *
 *   async afterFirstFactor({ user }: VerifiedLogin): Promise<undefined> {
 *     if (!(await this.terms.areAcceptedBy(user.userId))) {
 *       throw new AuthException(AuthErrorCode.FORBIDDEN, { message: 'Accept the terms first' });
 *     }
 *   }
 * }
 * ```
 */
export interface LoginStep {
  /**
   * Names the step in `VerifiedLogin.passed`. Default: the name of its class. Two steps with `afterFirstFactor` must not
   * have the same name.
   */
  readonly name?: string;
  /**
   * The members that the step reads from the bodies of logins, for example `['captcha']`. They are in
   * `LoginAttempt.fields`, as they were sent: the step has to check them. Default: none.
   */
  readonly fields?: readonly string[];
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
   * Runs once for each login, after its first factor, whichever that is: `attempt.first` names it. No token has been
   * issued yet. Throw an `AuthException` to stop the login, for example 40112 `SECOND_FACTOR_REQUIRED`. To continue a
   * stopped login in another request, keep `login` and `attempt.first`, and pass them to `LoginFlow.resume()`, which
   * runs the remaining steps.
   *
   * @param login the login. Its `passed` includes this step
   * @returns the new proof if the step adds a factor; undefined to keep the proof
   */
  afterFirstFactor?(login: VerifiedLogin, attempt: LoginAttempt): Promise<LoginProof | undefined>;
  /**
   * Runs after a successful attempt: for a login before its token is issued, for any other check of a password before
   * the action that it allows. If a login is completed later, for example with a second factor, `around` does not run
   * in that request.
   */
  succeeded?(login: VerifiedLogin, attempt: LoginAttempt): Promise<void>;
  /**
   * Runs after the token of a login was issued, to store something about the login. If it fails, the login fails and its
   * token ends.
   */
  opened?(login: NamedLogin, attempt: LoginAttempt): Promise<void>;
}

/** A login whose token was issued. */
export interface NamedLogin {
  readonly user: LoginUser;
  /** The same id as in `SessionInfo.id` and `LoginEnd`. Undefined if the implementation does not name logins. */
  readonly loginId: string | undefined;
  /** The end of the login in seconds since 1970, if it is known. */
  readonly endsAt: number | undefined;
}

/** A factor that a known user shows, to complete a login or to confirm one. */
export interface ShownAnswer {
  readonly user: LoginUser;
  /** The name of the factor, for example `totp`. */
  readonly factor: string;
  /** The `challenge` of the login that the answer completes. Undefined at `POST fresh`. */
  readonly challenge?: string | undefined;
  /** The `code` of the body, or its `response`, such as that of a passkey. The object is not checked yet. */
  readonly answer: string | object;
  /** The `ceremony` that a `response` belongs to. */
  readonly ceremony?: string | undefined;
}

/** The beginning of an attempt, before its account is known. `LoginFlow.begin()` returns it. */
export interface BegunLogin {
  /** The first factor: `password`, or for example `passkey`. */
  readonly first: string;
  /** The members of the body that steps read. See `LoginStep.fields`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The action, with the user and the address from when the attempt began. */
  readonly action: AuthAction;
  /** Undefined outside of requests. */
  readonly client: Client | undefined;
  /** False when no account can have this name, or no hash can match this password. True for other factors. */
  readonly isPossible: boolean;
  /**
   * Data of the package that began the login, for `LoginStep.opened`, also if a second factor completes the login in
   * another request. It is stored as JSON of at most 1 KB.
   */
  readonly memo?: object | undefined;
}

/** An attempt to log in, or to show a factor again. */
export interface LoginAttempt extends BegunLogin {
  readonly username: string;
}

/** A user who has shown a first factor. */
export interface VerifiedLogin {
  readonly user: LoginUser;
  /** The user's security stamp when the factor was checked. */
  readonly stamp: string;
  readonly proof: LoginProof;
  /**
   * The names of the steps that have run for this login, or that have stopped it. `LoginFlow.resume()` runs all
   * others. A challenge must store them with the proof. Default: none.
   */
  readonly passed?: readonly string[];
}
