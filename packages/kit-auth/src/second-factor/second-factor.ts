import type { LoginAttempt, ShownAnswer } from '../contract/login-step.js';
import type { LoginUser } from '../contract/login-user.js';

/**
 * Injection token of second factors. Any module may contribute any number of them; it has to import
 * `SecondFactorModule` and to contribute `SecondFactorStep`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [SecondFactorModule],
 *   providers: [
 *     { provide: SECOND_FACTOR, useClass: PagerFactor },
 *     { provide: LOGIN_STEP, useExisting: SecondFactorStep },
 *   ],
 * })
 * export class PagerModule {}
 * ```
 */
export const SECOND_FACTOR = Symbol.for('kit-auth.second-factor');

/** `unreadable`: the answer could not be checked, for example because a secret cannot be decrypted. The client gets 50300. */
export type FactorOutcome = 'right' | 'wrong' | 'unreadable';

/**
 * A kind of second factor. The module asks for it after the first factor of a login, limits wrong answers, and completes
 * the login at `POST login/factor`.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class PagerFactor implements SecondFactor {
 *   readonly names = ['pager'];
 *   readonly confirms = ['pager'];
 *
 *   constructor(private readonly pagers: Pagers) {}
 *
 *   async of({ userId }: LoginUser): Promise<readonly string[]> {
 *     return (await this.pagers.has(userId)) ? ['pager'] : [];
 *   }
 *
 *   async verify({ user, answer }: ShownAnswer): Promise<FactorOutcome> {
 *     return (await this.pagers.accepts(user.userId, answer)) ? 'right' : 'wrong';
 *   }
 * }
 * ```
 */
export interface SecondFactor {
  /** The names of its factors in `LoginProof.factors` and in bodies, for example `['totp', 'recovery']`. */
  readonly names: readonly string[];
  /** Those of `names` that can confirm a login at `POST fresh`. */
  readonly confirms: readonly string[];
  /**
   * False if users who have only this factor are not asked for it after a password. It is offered beside the factors of
   * other packages. Default true.
   */
  readonly asks?: boolean;
  /** 40112 lists the factors in ascending order. Default 100. */
  readonly order?: number;
  /** The factors that a user has. */
  of(user: LoginUser): Promise<readonly string[]>;
  /** More members of 40112 for a user who has the factor, at most 1 KB as JSON. */
  hint?(user: LoginUser, challenge: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Checks an answer, and uses it up if it is right. A wrong answer is `wrong`, not an exception. It is counted before the
   * call: any exception takes the count back.
   */
  verify(shown: ShownAnswer, attempt: LoginAttempt): Promise<FactorOutcome>;
}
