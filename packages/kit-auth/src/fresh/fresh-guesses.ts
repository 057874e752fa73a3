import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import type { LoginLimiter } from '../contract/login-limiter.js';
import type { Principal } from '../contract/login-proof.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { noteThrottled } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { AuthManager } from '../manager/auth.manager.js';
import { Counters, DAY_SECONDS } from '../throttle/counters.js';
import { loginKey } from '../throttle/throttle.keys.js';

const MAX_WRONG = 20;
/**
 * The limit, even for tokens that live longer: `RateLimiterMemory` of rate-limiter-flexible uses timers of Node, and a
 * timer of more than 24 days fires at once.
 */
const COUNTED_SECONDS = 24 * DAY_SECONDS;
const REASON = 'too-many-attempts';

/**
 * Limits the wrong passwords and codes at `POST fresh`: the twentieth ends the login. Only a right one clears the
 * count. An unlock of the account does not, because the token may be a stolen token of an administrator. The count
 * restarts after 24 days.
 */
@Injectable()
export class FreshGuesses implements OnModuleInit {
  /** Counts guesses that were wrong, or are being compared. */
  private guesses!: LoginLimiter;
  private wrong!: LoginLimiter;

  constructor(
    private readonly counters: Counters,
    private readonly manager: AuthManager,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.guesses = this.counters.make('fresh:guesses', MAX_WRONG, COUNTED_SECONDS);
      this.wrong = this.counters.make('fresh:wrong', MAX_WRONG, COUNTED_SECONDS);
    }
  }

  /**
   * Ends the login after twenty wrong guesses. A stateless token stays valid, but can no longer confirm logins.
   *
   * @throws AuthException 40101 after twenty wrong guesses
   */
  async requireLeft(login: Principal): Promise<void> {
    const counted = await this.wrong.get(loginKey(login));
    if (counted !== null && counted.consumedPoints >= MAX_WRONG) {
      await this.manager.logout(login.token, REASON); // The first attempt may have failed.
      throw invalidToken(REASON);
    }
  }

  /**
   * Runs a comparison. It is counted before, so that parallel guesses do not evade the limit.
   *
   * @param compare a guess is wrong if this rejects with 40110 or 40113. After any other error, it is not counted
   * @throws AuthException 42900 for more guesses at once than are left, and what `compare` throws
   */
  async count<T>(login: Principal, action: AuthAction, compare: () => Promise<T>): Promise<T> {
    const key = loginKey(login);
    if ((await this.guesses.penalty(key)).consumedPoints > MAX_WRONG) {
      await this.guesses.reward(key);
      noteThrottled('fresh');
      throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 1 });
    }
    try {
      const shown = await compare();
      await Promise.all([this.guesses.delete(key), this.wrong.delete(key)]);
      return shown;
    } catch (error) {
      await (isWrong(error) ? this.noteWrong(key, login, action) : this.guesses.reward(key));
      throw error;
    }
  }

  private async noteWrong(key: string, { user, token }: Principal, action: AuthAction): Promise<void> {
    if ((await this.wrong.penalty(key)).consumedPoints !== MAX_WRONG) {
      return;
    }
    const about = { subjectId: user.userId, subject: user.username };
    action.note({ type: 'login-ended', ...about, success: false, detail: REASON });
    await this.manager.logout(token, REASON);
  }
}

function isWrong(error: unknown): boolean {
  return (
    error instanceof AuthException &&
    (error.code === AuthErrorCode.LOGIN_FAILED || error.code === AuthErrorCode.FACTOR_FAILED)
  );
}
