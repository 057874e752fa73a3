import type { Principal } from './login-proof.js';
import type { LoginAttempt, ShownAnswer } from './login-step.js';
import type { LoginUser } from './login-user.js';
import type { AccountChange } from './user-store.js';

/**
 * Injection token of factors. Any module may contribute any number of them. If logins ask for the factor, the module
 * imports `SecondFactorModule`, and contributes `SecondFactorStep` to `LOGIN_STEP`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [SecondFactorModule],
 *   providers: [
 *     { provide: AUTH_FACTOR, useClass: PagerFactor },
 *     { provide: LOGIN_STEP, useExisting: SecondFactorStep },
 *   ],
 * })
 * export class PagerModule {}
 * ```
 */
export const AUTH_FACTOR = Symbol.for('kit-auth.factor');

/** `unreadable`: the answer could not be checked, for example because a secret cannot be decrypted. The client gets 50300. */
export type FactorOutcome = 'right' | 'wrong' | 'unreadable';

type Names = readonly string[];

/**
 * Something that users show to log in, as the second step of a login, or to confirm a login.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class PagerFactor implements Factor {
 *   readonly names = ['pager'];
 *   readonly confirms = ['pager'];
 *
 *   constructor(private readonly pagers: Pagers) {}
 *
 *   async has({ userId }: LoginUser): Promise<readonly string[]> {
 *     return (await this.pagers.has(userId)) ? ['pager'] : [];
 *   }
 *
 *   async verify({ user, answer }: ShownAnswer): Promise<FactorOutcome> {
 *     return (await this.pagers.accepts(user.userId, answer)) ? 'right' : 'wrong';
 *   }
 * }
 * ```
 */
export interface Factor {
  /** The names in `LoginProof.factors` and in bodies, for example `['totp', 'recovery']`. */
  readonly names: Names;
  /** The `names` that can confirm a login at `POST fresh`. */
  readonly confirms: Names;
  /**
   * Whether it is a second factor:
   *
   * - `asked`, the default: logins ask for it after the first factor
   * - `offered`: a login that asks for another one offers it too. It counts as a second factor where the user has to have
   *   one, and for changes of the own factors
   * - `elsewhere`: another service asks for it at its logins, such as a provider. Ours do not
   * - `no`
   */
  readonly second?: 'asked' | 'offered' | 'elsewhere' | 'no';
  /** 40112 lists the factors in ascending order. Default 100. */
  readonly order?: number;
  /** How long its methods may take in milliseconds: 1 to 2147483647. Default: `kit.auth.extensionTimeoutMs`. */
  readonly timeoutMs?: number;
  /**
   * The `names` that a user has. Called for every request to a route with `@RequireFresh({ factors: 'full' })`, so return
   * no promise when no I/O is needed.
   */
  has(user: LoginUser): Names | Promise<Names>;
  /**
   * The `names` with which a user can log in without a password. Users cannot remove the last one. Called in the transaction of that
   * change: lock the rows that you read until it ends, so that two ways cannot be removed at once.
   */
  canLogIn?(user: LoginUser, change: AccountChange): Names | Promise<Names>;
  /**
   * Begins the confirmation of a login at `POST fresh/options`, for a factor whose user needs something before: the options of a
   * ceremony, or a code in a mail. Its module imports `FreshOptionsModule`.
   *
   * @returns the body of the answer; undefined for 202 without a body
   */
  begin?(login: Principal): Promise<object | undefined>;
  /**
   * Checks an answer, and uses it up if it is right. A wrong answer is `wrong`, not an exception. It is counted before the
   * call: any exception takes the count back. Without this method, users show the factor in another way, for example at a
   * provider.
   */
  verify?(shown: ShownAnswer, attempt: LoginAttempt): Promise<FactorOutcome>;
  /** More members of 40112 for a user who has the factor, at most 1 KB as JSON. */
  hint?(user: LoginUser, challenge: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Whether a user must have a second factor. Tokens that show none get 40303 from all protected routes except those with
   * `@BeforeEnrolment()`: tokens of logins until one was shown, and those of credentials whose proof has none. Called for
   * every request with a token.
   */
  isRequiredFor?(user: LoginUser): boolean;
}
