import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { turnOf } from '../context/network.js';
import type { AuthAction } from '../contract/auth-event.js';
import type { Client } from '../contract/client.js';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginAttempt, LoginStep, VerifiedLogin } from '../contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from '../contract/settings.js';
import { noteThrottled } from '../diagnostics/channels.js';
import { AuthErrorCode, type ErrorCode } from '../errors/auth-error-code.js';
import { AuthException, retryAfterOf, TooBusyException } from '../errors/auth.exception.js';
import { BoundedMap } from '../tools/lookups.js';
import { Attempt, type Limiters, makeLimiters, type Refusal, UNLOCK_SECONDS } from './attempt.js';
import { Counters } from './counters.js';
import {
  ANY_UNLOCK_KEY,
  knownKey,
  type Subject,
  subjectOf,
  throttleKeys,
  unlockKey,
} from './throttle.keys.js';

const MAX_REPORTED = 10_000;
/** How long refusals are delayed. */
const MIN_DELAY_MS = 150;
const MAX_DELAY_MS = 3000;
/** A check can be delayed by another check, or by other work of the machine. */
const DELAY_FACTOR = 3;
/** Each waiting answer keeps a request in memory, about 20 KB. */
const MAX_WAITING = 10_000;

/** Compares a password when its turn in the queue has come. */
type Check = (turn?: HashTurn) => Promise<VerifiedLogin>;

/** The result for a right password. */
type Outcome = { result: VerifiedLogin } | { error: AuthException };

/**
 * Slows down the guessing of passwords, by account and by address. The first failures have no effect. After that, every
 * attempt closes a gate for a time that doubles. Attempts are counted before their passwords are compared, so that
 * parallel guesses do not evade the limit.
 *
 * While a gate is closed, the right password is still accepted from a known device of the account, which is an address
 * that it has logged in from. All other answers are the same and take the same time.
 *
 * @example
 * await app.get(LoginThrottle).unlock('ada');
 */
@Injectable()
export class LoginThrottle implements LoginStep, OnModuleInit {
  readonly order = 0;
  /** It delays refusals by some seconds. Its calls to the limiter have a deadline of their own. */
  readonly timeoutMs = 30_000;
  private readonly policy: LoginThrottleSettings | undefined;
  private readonly reportedUntil = new BoundedMap<string, number>(MAX_REPORTED);
  private readonly answerTime = new AnswerTime();
  private readonly attempts = new WeakMap<LoginAttempt, Attempt>();
  /** Undefined when the throttle is disabled. */
  private limiters: Limiters | undefined;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) { enabled, login }: KitAuthSettings,
    private readonly counters: Counters,
  ) {
    this.policy = enabled && login.throttle !== false ? login.throttle : undefined;
  }

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    this.limiters = this.policy && makeLimiters(this.policy, this.counters);
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
    const turn = turnOf(client);
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
      return this.compareForKnownDevice(attempt, check, turn, refusal, () =>
        this.tooManyAttempts(refusal, action),
      );
    }
    try {
      return await this.compare(attempt, check, turn);
    } catch (error) {
      if (error instanceof TooBusyException) {
        return this.compareForKnownDevice(attempt, check, turn, undefined, () => error);
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
   * Whether an account has logged in from the network of a client within the last 30 days. False if the throttle is
   * disabled.
   */
  async knows(username: string, client: Pick<Client, 'address'>): Promise<boolean> {
    const device = knownKey(subjectOf(username, client));
    return (
      device !== undefined && this.limiters !== undefined && (await this.limiters.known.get(device)) !== null
    );
  }

  /**
   * The time until which an account, or one of its known devices, is locked; null when none is. Does not include the
   * gate of an address, which is closed for all accounts.
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
   * Clears the failures of an account and of its known devices. Its right password is accepted at once, also from a
   * locked address.
   */
  async unlock(username: string): Promise<void> {
    const { policy, limiters } = this;
    if (policy !== undefined && limiters !== undefined) {
      const subject = subjectOf(username);
      const epoch = await epochOf(limiters, subject);
      await Promise.all([
        limiters.unlocks.set(unlockKey(subject), epoch + 1, UNLOCK_SECONDS),
        limiters.loginAddresses.set(ANY_UNLOCK_KEY, 1, policy.maxWaitSeconds),
      ]);
    }
  }

  /** Compares the password of an attempt that was admitted. */
  private async compare(attempt: Attempt, check: Check, turn: HashTurn): Promise<VerifiedLogin> {
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
   * Refuses an attempt, unless it comes from a known device and its password is right. At addresses that may have a
   * known device, the refusal takes the same time whether a password was compared or not.
   */
  private async compareForKnownDevice(
    attempt: Attempt,
    check: Check,
    turn: HashTurn,
    refusal: Refusal | undefined,
    refused: () => AuthException,
  ): Promise<VerifiedLogin> {
    if (!(await attempt.mayHaveKnownDevice()) || this.answerTime.isFull) {
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

  /** @returns undefined unless the attempt is allowed for a known device and its password was right */
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
      // The password was right, and a step after it refuses. Any other failure is refused like a wrong password.
      return error instanceof AuthException && error.getStatus() < 500 ? { error } : undefined;
    }
  }

  /** Publishes an event for the first refusal of each closed gate only, so that a flood does not fill the audit log. */
  private tooManyAttempts({ key, waitMs, limit }: Refusal, action: AuthAction): AuthException {
    noteThrottled(limit);
    const now = Date.now();
    if ((this.reportedUntil.get(key) ?? 0) <= now) {
      this.reportedUntil.set(key, now + waitMs);
      action.note({ type: 'login-throttled', success: false });
    }
    return new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, {
      retryAfter: retryAfterOf(waitMs),
    });
  }
}

/** Delays refusals, so that their time does not reveal whether a password was compared. */
export class AnswerTime {
  /** The slowest recent check of a password. */
  private slowestMs = 200;
  private waiting = 0;

  /** Whether so many answers are waiting that no other may be delayed. */
  get isFull(): boolean {
    return this.waiting >= MAX_WAITING;
  }

  /** Runs a check of a password and measures it. */
  async of<T>(check: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await check();
    } finally {
      this.slowestMs = Math.max(performance.now() - started, this.slowestMs * 0.8);
    }
  }

  /**
   * @param look resolves to undefined unless a password is right
   * @param mayBeLate whether to wait for a look that takes longer than expected
   * @returns the result at once if there is one; undefined only after a time that does not depend on the look
   */
  async within<T>(look: () => Promise<T | undefined>, mayBeLate: () => boolean): Promise<T | undefined> {
    const timers: NodeJS.Timeout[] = [];
    const after = (milliseconds: number) =>
      new Promise<undefined>((resolve) => {
        timers.push(setTimeout(resolve, milliseconds, undefined));
      });
    const passed = after(Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, this.slowestMs * DELAY_FACTOR)));
    const looking = look();
    this.waiting++;
    try {
      const found = await Promise.race([looking, passed]);
      if (found !== undefined) {
        return found;
      }
      await passed;
      return mayBeLate() ? await Promise.race([looking, after(MAX_DELAY_MS)]) : undefined;
    } finally {
      this.waiting--;
      timers.forEach(clearTimeout);
    }
  }
}

/** How many times an account was unlocked. */
async function epochOf({ unlocks }: Limiters, subject: Subject): Promise<number> {
  return (await unlocks.get(unlockKey(subject)))?.consumedPoints ?? 0;
}

function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof AuthException ? error.code : undefined;
}
