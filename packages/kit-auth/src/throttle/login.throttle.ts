import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { AuthAction } from '../events/auth-event.js';
import { AuthEvents } from '../events/auth-events.js';
import { type Limiters, makeLimiters } from './limiters.js';
import { throttleKeys, type ThrottleKeys } from './throttle.keys.js';

const MOST_TOLD = 10_000;
const KNOWN_SECONDS = 30 * 24 * 60 * 60;

/** An attempt that may look at the password. */
interface Admission {
  readonly isKnown: boolean;
  /** The keys that it was counted on. */
  readonly counted: readonly string[];
  /** Of these, the keys whose gate it closed behind itself. */
  readonly closed: readonly string[];
}

/**
 * Slows the guessing of passwords down, by account and by address. So many failures are free; from then on every
 * attempt closes a gate behind itself, for a time that doubles. An attempt is counted before its password is looked
 * at, so that guesses sent at once are no way around.
 *
 * An account's known device (an address that it logged in from) has a budget of its own, and does not feel what
 * others do to the account.
 */
@Injectable()
export class LoginThrottle implements OnModuleInit {
  private readonly policy: LoginThrottleSettings | undefined;
  private readonly toldUntil = new Map<string, number>();
  /** Undefined where there is no throttle. */
  private limiters: Limiters | undefined;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) { enabled, login }: KitAuthSettings,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {
    this.policy = enabled && login.throttle !== false ? login.throttle : undefined;
  }

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` makes nothing that can be used */
  onModuleInit(): void {
    this.limiters = this.policy && makeLimiters(this.policy);
  }

  /**
   * Runs a check of an account's password, unless there were too many attempts. Of what the check rejects with, 40110
   * counts as a wrong password, 40111 as a right one, and anything else as no attempt.
   *
   * @param action whose part the check is; by default one that begins here
   * @throws AuthException 42900 with `Retry-After`, in which case the check did not run; and what the check throws
   */
  async guard<T>(
    username: string,
    check: () => Promise<T>,
    action: AuthAction = this.events.begin(),
  ): Promise<T> {
    const { policy, limiters } = this;
    if (policy === undefined || limiters === undefined) {
      return check();
    }
    const keys = throttleKeys(username, this.context.client()?.address);
    const admission = await this.admit(policy, limiters, keys, action);
    let result: T;
    try {
      result = await check();
    } catch (error) {
      const code = error instanceof AuthException ? error.code : undefined;
      if (code === AuthErrorCode.USER_DISABLED) {
        await this.succeed(limiters, keys, admission);
      } else if (code !== AuthErrorCode.LOGIN_FAILED) {
        await this.takeBack(limiters, admission.counted, admission.closed);
      }
      throw error;
    }
    await this.succeed(limiters, keys, admission);
    return result;
  }

  /** Until when an account lets nobody in but its known devices; null when it is not locked. */
  async lockedUntil(username: string): Promise<Date | null> {
    const waitMs =
      this.limiters && (await closedForMs(this.limiters, [throttleKeys(username, undefined).account]));
    return waitMs === undefined || waitMs === 0 ? null : new Date(Date.now() + waitMs);
  }

  /** Forgets the failures of an account. Those of addresses and of its known devices stay. */
  async unlock(username: string): Promise<void> {
    if (this.limiters !== undefined) {
      const { account, name } = throttleKeys(username, undefined);
      await Promise.all([clear(this.limiters, account), this.limiters.failures.delete(name)]);
    }
  }

  private async admit(
    policy: LoginThrottleSettings,
    limiters: Limiters,
    { account, name, address, pair }: ThrottleKeys,
    action: AuthAction,
  ): Promise<Admission> {
    const isKnown = pair !== undefined && (await limiters.known.get(pair)) !== null;
    const gated = (isKnown ? [pair] : [account, address]).filter((key) => key !== undefined);
    const counted = isKnown ? gated : [...gated, name];
    const waitMs = await closedForMs(limiters, gated);
    if (waitMs > 0) {
      throw this.tooManyAttempts(gated.join(), waitMs, action);
    }
    const counts = await Promise.all(counted.map((key) => limiters.failures.penalty(key)));
    const closed: string[] = [];
    for (const [index, key] of gated.entries()) {
      const free = key === address ? policy.addressFailures : policy.failures;
      const beyond = (counts[index]?.consumedPoints ?? 0) - free;
      if (beyond >= 0) {
        const customDuration = Math.min(2 ** beyond, policy.maxWaitSeconds);
        const gate = await limiters.gates.penalty(key, 1, { customDuration });
        if (gate.consumedPoints > 1) {
          // Another attempt got through at the same time. This one counts, and must not keep another gate closed.
          await Promise.all(closed.map((other) => limiters.gates.delete(other)));
          throw this.tooManyAttempts(gated.join(), gate.msBeforeNext, action);
        }
        closed.push(key);
      }
    }
    return { isKnown, counted, closed };
  }

  /**
   * The address gets no more than its point back, and the account the points of this very name: neither an account of
   * one's own nor one that is called almost like another pays for guesses at others.
   */
  private async succeed(
    limiters: Limiters,
    { account, name, address, pair }: ThrottleKeys,
    { isKnown, closed }: Admission,
  ): Promise<void> {
    const ofAddress = address === undefined || isKnown ? [] : [address];
    await Promise.all([
      ...(isKnown ? [] : [this.makeGood(limiters, account, name, closed.includes(account))]),
      this.takeBack(
        limiters,
        ofAddress,
        closed.filter((key) => key === address),
      ),
      ...(pair === undefined ? [] : [clear(limiters, pair), limiters.known.set(pair, 1, KNOWN_SECONDS)]),
    ]);
  }

  private async makeGood(
    { failures, gates }: Limiters,
    account: string,
    name: string,
    isClosedByUs: boolean,
  ): Promise<void> {
    const own = (await failures.get(name))?.consumedPoints ?? 1;
    const { consumedPoints } = await failures.reward(account, own);
    const free = this.policy?.failures ?? 0;
    await Promise.all([
      failures.delete(name),
      ...(isClosedByUs || consumedPoints < free ? [gates.delete(account)] : []),
    ]);
  }

  private async takeBack(
    limiters: Limiters,
    counted: readonly string[],
    closed: readonly string[],
  ): Promise<void> {
    await Promise.all([
      ...counted.map((key) => limiters.failures.reward(key)),
      ...closed.map((key) => limiters.gates.delete(key)),
    ]);
  }

  /** Of the refusals behind one gate the first is an event: a flood of them must not become one of rows. */
  private tooManyAttempts(keys: string, waitMs: number, action: AuthAction): AuthException {
    const now = Date.now();
    if ((this.toldUntil.get(keys) ?? 0) <= now) {
      if (this.toldUntil.size >= MOST_TOLD) {
        this.toldUntil.clear();
      }
      this.toldUntil.set(keys, now + waitMs);
      action.note({ type: 'login-throttled', success: false });
    }
    return new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, {
      retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }
}

/** How long the gates of these keys are still closed; 0 when all are open. */
async function closedForMs({ gates }: Limiters, keys: readonly string[]): Promise<number> {
  const found = await Promise.all(keys.map((key) => gates.get(key)));
  return Math.max(0, ...found.map((gate) => gate?.msBeforeNext ?? 0));
}

async function clear({ failures, gates }: Limiters, key: string): Promise<void> {
  await Promise.all([failures.delete(key), gates.delete(key)]);
}
