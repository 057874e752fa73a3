import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';
import type { LoginAttempt, LoginStep, VerifiedLogin } from '../contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { TooBusyException } from '../errors/too-busy.exception.js';
import { AnswerTime } from './answer-time.js';
import { Attempt, type Refusal } from './attempt.js';
import { type Limiters, makeLimiters, UNLOCK_SECONDS } from './limiters.js';
import { PARDON_KEY, type Subject, subjectOf, throttleKeys, unlockKey } from './throttle.keys.js';

const MAX_TOLD = 10_000;

/** Compares a password, in its turn where that takes time. */
type Check = (turn?: HashTurn) => Promise<VerifiedLogin>;

/** Of a password that was right. */
type Outcome = { result: VerifiedLogin } | { error: AuthException };

/**
 * Slows the guessing of passwords down, by account and by address. So many failures are free; from then on every
 * attempt closes a gate behind itself, for a time that doubles. An attempt is counted before its password is looked
 * at, so that guesses sent at once are no way around.
 *
 * At a closed gate, the right password still gets in from an account's known device (an address that it logged in
 * from). Any other answer is the same for everybody, and takes the same time.
 */
@Injectable()
export class LoginThrottle implements LoginStep, OnModuleInit {
  readonly order = 0;
  private readonly policy: LoginThrottleSettings | undefined;
  private readonly toldUntil = new Map<string, number>();
  private readonly answerTime = new AnswerTime();
  private readonly attempts = new WeakMap<LoginAttempt, Attempt>();
  /** Undefined where there is no throttle. */
  private limiters: Limiters | undefined;

  constructor(@Inject(KIT_AUTH_SETTINGS) { enabled, login }: KitAuthSettings) {
    this.policy = enabled && login.throttle !== false ? login.throttle : undefined;
  }

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` makes nothing that can be used */
  onModuleInit(): void {
    this.limiters = this.policy && makeLimiters(this.policy);
  }

  /**
   * Compares the password of an attempt, unless there were too many. When the check rejects, 40110 counts as a wrong
   * password and 40111 as a right one. Anything else is not counted.
   *
   * @throws AuthException 42900 with `Retry-After`, also when the password was wrong; and what the check throws
   */
  async around(login: LoginAttempt, check: Check): Promise<VerifiedLogin> {
    const { username, client, isPossible, action } = login;
    const subject = subjectOf(username, client);
    const turn: HashTurn = {
      group: subject.network ?? OWN_TURN.group,
      isKnown: false,
      hasLeft: () => client?.hasLeft() ?? false,
    };
    const { policy, limiters } = this;
    if (policy === undefined || limiters === undefined) {
      return check(turn);
    }
    if (turn.hasLeft()) {
      throw AuthException.refusal(AuthErrorCode.LOGIN_FAILED);
    }
    const attempt = new Attempt(limiters, policy.maxWaitSeconds, subject, isPossible);
    this.attempts.set(login, attempt);
    const refusal = await attempt.admit();
    if (refusal !== undefined) {
      return this.lookAgain(attempt, check, turn, refusal, () => this.tooManyAttempts(refusal, action));
    }
    try {
      return await this.look(attempt, check, turn);
    } catch (error) {
      if (error instanceof TooBusyException) {
        return this.lookAgain(attempt, check, turn, undefined, () => error);
      }
      throw error;
    }
  }

  /** Clears the failures of an account, and remembers the device. */
  async succeeded({ user }: VerifiedLogin, login: LoginAttempt): Promise<void> {
    const { policy, limiters } = this;
    if (policy !== undefined && limiters !== undefined) {
      const attempt =
        this.attempts.get(login) ??
        new Attempt(limiters, policy.maxWaitSeconds, subjectOf(user.username, login.client), true);
      await attempt.succeed();
    }
  }

  /**
   * Until when an account, or one of its known devices, is locked out; null when none is. The gate of an address,
   * which is closed to all accounts alike, is not told.
   */
  async lockedUntil(username: string): Promise<Date | null> {
    const { limiters } = this;
    if (limiters === undefined) {
      return null;
    }
    const subject = subjectOf(username);
    const { account, lockedDevice } = throttleKeys(subject, await epochOf(limiters, subject));
    const waits = await Promise.all([account, lockedDevice].map((key) => limiters.accounts.waitMs(key)));
    const waitMs = Math.max(...waits);
    return waitMs === 0 ? null : new Date(Date.now() + waitMs);
  }

  /**
   * Forgets the failures of an account, those of its known devices included. Its right password gets in at once, also
   * from an address that is locked.
   */
  async unlock(username: string): Promise<void> {
    const { policy, limiters } = this;
    if (policy !== undefined && limiters !== undefined) {
      const subject = subjectOf(username);
      const epoch = await epochOf(limiters, subject);
      await Promise.all([
        limiters.unlocks.set(unlockKey(subject), epoch + 1, UNLOCK_SECONDS),
        limiters.homes.set(PARDON_KEY, 1, policy.maxWaitSeconds),
      ]);
    }
  }

  /** Runs the check of an attempt that was admitted. */
  private async look(attempt: Attempt, check: Check, turn: HashTurn): Promise<VerifiedLogin> {
    try {
      return await this.answerTime.of(() => check(turn));
    } catch (error) {
      const code = codeOf(error);
      if (code === AuthErrorCode.LOGIN_FAILED) {
        await attempt.fail();
      } else {
        await (code === AuthErrorCode.USER_DISABLED ? attempt.succeed() : attempt.refund());
      }
      throw error;
    }
  }

  /**
   * Refuses an attempt, unless it comes from a known device and its password is right. Wherever there may be a known
   * device, the refusal takes the same time whether a password was looked at or not.
   */
  private async lookAgain(
    attempt: Attempt,
    check: Check,
    turn: HashTurn,
    refusal: Refusal | undefined,
    refused: () => AuthException,
  ): Promise<VerifiedLogin> {
    if (!(await attempt.isAtHome()) || this.answerTime.isFull) {
      throw refused();
    }
    const outcome = await this.answerTime.within(
      () => this.outcomeForKnown(attempt, check, { ...turn, isKnown: true }, refusal),
      () => attempt.isFirstOfDevice(),
    );
    if (outcome === undefined) {
      throw refused();
    }
    if ('error' in outcome) {
      throw outcome.error;
    }
    return outcome.result;
  }

  /** @returns undefined unless the attempt may be a known device's, and its password was right */
  private async outcomeForKnown(
    attempt: Attempt,
    check: Check,
    turn: HashTurn,
    refusal: Refusal | undefined,
  ): Promise<Outcome | undefined> {
    if (!(await attempt.mayBeKnown(refusal))) {
      return undefined;
    }
    try {
      return { result: await this.answerTime.of(() => check(turn)) };
    } catch (error) {
      if (codeOf(error) === AuthErrorCode.LOGIN_FAILED) {
        return undefined;
      }
      if (codeOf(error) === AuthErrorCode.USER_DISABLED) {
        await attempt.succeed();
      } else {
        await attempt.refundDevice();
      }
      // The password was right, and a step after it refuses. Any other failure gets the same refusal as a wrong password.
      return error instanceof AuthException && error.getStatus() < 500 ? { error } : undefined;
    }
  }

  /** Of the refusals behind one gate the first is an event: a flood of them must not become one of rows. */
  private tooManyAttempts({ key, waitMs }: Refusal, action: AuthAction): AuthException {
    const now = Date.now();
    if ((this.toldUntil.get(key) ?? 0) <= now) {
      if (this.toldUntil.size >= MAX_TOLD) {
        this.toldUntil.clear();
      }
      this.toldUntil.set(key, now + waitMs);
      action.note({ type: 'login-throttled', success: false });
    }
    return new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, {
      retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }
}

/** How often an account was unlocked. */
async function epochOf({ unlocks }: Limiters, subject: Subject): Promise<number> {
  return (await unlocks.get(unlockKey(subject)))?.consumedPoints ?? 0;
}

function codeOf(error: unknown): AuthErrorCode | undefined {
  return error instanceof AuthException ? error.code : undefined;
}
