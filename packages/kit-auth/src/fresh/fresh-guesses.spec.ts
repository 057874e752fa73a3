import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loginUser } from 'test-support';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import type { Principal } from '../contract/login-proof.js';
import type { VerifiedLogin } from '../contract/login-step.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { AuthManager } from '../manager/auth.manager.js';
import { BoundedLimiter } from '../throttle/bounded.limiter.js';
import { Counters } from '../throttle/counters.js';
import type { LoginLimiterFactory, LoginLimiterOptions } from '../contract/login-limiter.js';
import { LoginThrottle } from '../throttle/login.throttle.js';
import { FreshGuesses } from './fresh-guesses.js';

const user = loginUser();
const ENDED = '40101 too-many-attempts';
const refusedWith = (code: AuthErrorCode) => () => Promise.reject(new AuthException(code));
const wrongPassword = refusedWith(AuthErrorCode.LOGIN_FAILED);
const wrongCode = refusedWith(AuthErrorCode.FACTOR_FAILED);
const times = <T>(count: number, value: T) => Array<T>(count).fill(value);

describe('FreshGuesses', () => {
  const events: NotedEvent[] = [];
  const loggedOut: string[] = [];
  const made: LoginLimiterOptions[] = [];
  const action = {
    note: (event: NotedEvent) => void events.push(event),
  } as Partial<AuthAction> as AuthAction;
  const manager = {
    logout: async (token: string, reason: string) => void loggedOut.push(`${token} ${reason}`),
  } as Partial<AuthManager> as AuthManager;
  let instances: FreshGuesses[];

  /** @param loginId undefined for a token that is in no store */
  const loginOf = (token: string, loginId?: string): Principal => ({
    token,
    scheme: 'jwt',
    user,
    proof: { factors: {}, ...(loginId !== undefined && { loginId }) },
  });
  const login = loginOf('token');

  beforeEach(() => {
    [events, loggedOut, made].forEach((list) => (list.length = 0));
    const stores = new Map<string, BoundedLimiter>();
    const limiter: LoginLimiterFactory = (options) => {
      made.push(options);
      const store = stores.get(options.keyPrefix) ?? new BoundedLimiter(options.duration, 100);
      stores.set(options.keyPrefix, store);
      return store;
    };
    const { settings } = kitAuthOptions.resolve({ login: { throttle: { limiter } } });
    instances = [1, 2].map(() => new FreshGuesses(new Counters(settings), manager, settings));
    instances.forEach((guesses) => guesses.onModuleInit());
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  let next = 0;
  /** The outcome of a guess, at alternating instances. @param around the steps around the comparison */
  const guess = async (
    compare: () => Promise<unknown>,
    of = login,
    around = (check: () => Promise<unknown>) => check(),
  ): Promise<string> => {
    const guesses = instances[next++ % 2]!;
    try {
      await guesses.requireLeft(of);
      return String(await around(() => guesses.count(of, action, compare)));
    } catch (error) {
      return error instanceof AuthException
        ? [error.code, ...(error.reason === undefined ? [] : [error.reason])].join(' ')
        : String(error);
    }
  };
  const guessOften = async (count: number, compare: () => Promise<unknown>, of = login) => {
    const outcomes: string[] = [];
    for (let i = 0; i < count; i++) {
      outcomes.push(await guess(compare, of));
    }
    return outcomes;
  };

  it('end the login with the twentieth wrong one, on all instances, and say so once', async () => {
    expect(await guessOften(19, wrongPassword)).toEqual(times(19, '40110'));
    expect([loggedOut, events]).toEqual([[], []]);
    expect(await guessOften(3, wrongPassword)).toEqual(['40110', ENDED, ENDED]);
    expect(await guess(async () => 'right')).toBe(ENDED);
    expect(loggedOut).toEqual(times(4, 'token too-many-attempts')); // the first end may have failed
    expect(events).toEqual([
      {
        type: 'login-ended',
        subjectId: user.userId,
        subject: user.username,
        success: false,
        detail: 'too-many-attempts',
      },
    ]);
  });

  it('count passwords and codes together, and nothing that was not compared', async () => {
    const outcomes = await guessOften(9, wrongPassword);
    outcomes.push(...(await guessOften(30, () => Promise.reject(new Error('away')))));
    outcomes.push(...(await guessOften(30, refusedWith(AuthErrorCode.BAD_REQUEST))));
    outcomes.push(...(await guessOften(12, wrongCode)));
    expect(outcomes).toEqual([
      ...times(9, '40110'),
      ...times(30, 'Error: away'),
      ...times(30, '40000'),
      ...times(11, '40113'),
      ENDED,
    ]);
    expect(events).toHaveLength(1);
  });

  it('are forgotten after a right one', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await guessOften(19, wrongCode)).toEqual(times(19, '40113'));
      expect(await guess(async () => 'right')).toBe('right');
    }
    expect([loggedOut, events]).toEqual([[], []]);
  });

  it('of one login leave the other logins of the user alone, and follow a login to its next token', async () => {
    const [one, other] = [loginOf('a', 'login 1'), loginOf('b', 'login 2')];
    expect(await guessOften(21, wrongCode, one)).toEqual([...times(20, '40113'), ENDED]);
    expect(await guess(async () => 'right', other)).toBe('right');
    expect(await guess(async () => 'right', loginOf('c', 'login 1'))).toBe(ENDED);
  });

  it('are compared twenty times when they come at once', async () => {
    const compare = jest.fn(wrongPassword);
    const outcomes = await Promise.all(times(40, 0).map(() => guess(compare)));
    expect(compare).toHaveBeenCalledTimes(20);
    expect(outcomes.sort()).toEqual([...times(20, '40110'), ...times(20, '42900')]);
    expect(await guess(compare)).toBe(ENDED);
  });

  it('are compared twenty times from a known device, whose right password the throttle accepts', async () => {
    jest.useFakeTimers();
    const { settings } = kitAuthOptions.resolve({});
    const throttle = new LoginThrottle(settings, new Counters(settings));
    throttle.onModuleInit();
    const client = { address: '192.0.2.1', userAgent: undefined, hasLeft: () => false };
    const attempt = () => ({
      username: 'ada',
      client,
      action,
      isPossible: true,
      first: 'password',
      fields: {},
    });
    await throttle.succeeded({ user } as VerifiedLogin, attempt());
    const compare = jest.fn<() => Promise<VerifiedLogin>>(wrongPassword);
    const outcomes = new Set<string>();
    const tryOnce = () =>
      guess(compare, login, (check) => throttle.around(attempt(), check as () => Promise<VerifiedLogin>));
    for (let i = 0; i < 12; i++) {
      await throttle.unlock('ada');
      const answers = Promise.all(times(7, 0).map(tryOnce));
      await jest.advanceTimersByTimeAsync(5000);
      (await answers).forEach((outcome) => outcomes.add(outcome));
    }
    expect(compare).toHaveBeenCalledTimes(20);
    expect([...outcomes].sort()).toEqual([ENDED, '40110', '42900'].sort());
  });

  it('are counted for 24 days, which timers of Node can hold', () => {
    expect(made.slice(0, 2)).toEqual([
      { keyPrefix: 'kit-auth:fresh:guesses', points: 20, duration: 24 * 86_400 },
      { keyPrefix: 'kit-auth:fresh:wrong', points: 20, duration: 24 * 86_400 },
    ]);
    expect(made.every(({ duration }) => duration * 1000 < 2 ** 31)).toBe(true);
  });

  it('are not counted while kit.auth.enabled is false', () => {
    const { settings } = kitAuthOptions.resolve({ enabled: false });
    made.length = 0;
    new FreshGuesses(new Counters(settings), manager, settings).onModuleInit();
    expect(made).toEqual([]);
  });
});
