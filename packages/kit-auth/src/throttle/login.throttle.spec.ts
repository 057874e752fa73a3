import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KitAuthOptions, kitAuthOptions } from '../config/kit-auth.options.js';
import type { AuthAction } from '../contract/auth-event.js';
import type { HashTurn } from '../contract/hash-turn.js';
import type { VerifiedLogin } from '../contract/login-step.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, TooBusyException } from '../errors/auth.exception.js';
import { Counters } from './counters.js';
import { AnswerTime, LoginThrottle } from './login.throttle.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const after = <T>(milliseconds: number, result: T) =>
  new Promise<T>((resolve) => setTimeout(resolve, milliseconds, result));

/** What is answered, and after how many milliseconds. */
async function answerOf(time: AnswerTime, look: () => Promise<string | undefined>, mayBeLate = false) {
  const began = performance.now();
  let answered = NaN;
  const answer = time
    .within(look, () => mayBeLate)
    .finally(() => {
      answered = performance.now() - began;
    });
  await jest.advanceTimersByTimeAsync(10_000);
  return [await answer, answered];
}

describe('AnswerTime', () => {
  it('answers nothing at one time, whether a look took no time, some, or too long', async () => {
    const time = new AnswerTime();
    for (const took of [0, 1, 250, 599, 700, 9000]) {
      expect(await answerOf(time, () => after(took, undefined))).toEqual([undefined, 600]);
    }
    expect(await answerOf(time, () => after(700, 'right'))).toEqual([undefined, 600]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('answers what is found at once', async () => {
    expect(await answerOf(new AnswerTime(), () => after(100, 'right'))).toEqual(['right', 100]);
  });

  it('waits for a look that may be late, but not for ever', async () => {
    const time = new AnswerTime();
    expect(await answerOf(time, () => after(100, undefined), true)).toEqual([undefined, 600]);
    expect(await answerOf(time, () => after(2000, 'right'), true)).toEqual(['right', 2000]);
    expect(await answerOf(time, () => after(2000, undefined), true)).toEqual([undefined, 2000]);
    expect(await answerOf(time, () => after(9000, 'right'), true)).toEqual([undefined, 3600]);
  });

  it('is full while 10,000 answers wait', async () => {
    const time = new AnswerTime();
    const never = () => false;
    const answers = Array.from({ length: 9999 }, () => time.within(async () => undefined, never));
    expect(time.isFull).toBe(false);
    const wrong = () => Promise.reject(new Error('wrong'));
    answers.push(time.within(wrong, never).catch(() => undefined));
    expect(time.isFull).toBe(true);
    await jest.advanceTimersByTimeAsync(599);
    expect(time.isFull).toBe(false); // one has ended
    await jest.advanceTimersByTimeAsync(1);
    await Promise.all(answers);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('follows the slowest check of late, within bounds', async () => {
    const time = new AnswerTime();
    const check = async (took: number, times = 1) => {
      for (let i = 0; i < times; i++) {
        const checked = time.of(() => after(took, true));
        await jest.advanceTimersByTimeAsync(took);
        expect(await checked).toBe(true);
      }
    };
    const answerMs = async () => (await answerOf(time, async () => undefined))[1];
    await check(500);
    expect(await answerMs()).toBe(1500);
    await check(10);
    expect(await answerMs()).toBe(1200);
    await check(10, 50);
    expect(await answerMs()).toBe(150);
    await check(5000);
    expect(await answerMs()).toBe(3000);
  });

  it('learns from checks that fail, too', async () => {
    const time = new AnswerTime();
    const failed = time.of(() => after(400, 0).then(() => Promise.reject(new Error('wrong'))));
    const outcome = expect(failed).rejects.toThrow('wrong');
    await jest.advanceTimersByTimeAsync(400);
    await outcome;
    expect((await answerOf(time, async () => undefined))[1]).toBe(1200);
  });
});

const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);
const ACCOUNTS: Record<string, number> = { ada: 200, Ada: 200, off: AuthErrorCode.USER_DISABLED };
const WRONG = () => Promise.reject(new AuthException(AuthErrorCode.LOGIN_FAILED));
const RIGHT = { user: { username: 'ada' }, stamp: '', proof: { factors: {} } } as VerifiedLogin;
const FIVE_WRONG = [40110, 40110, 40110, 40110, 40110];

type Outcome = number | string;

/** Logins of `ada`, `Ada`, and `off`, who is disabled. All have the password `right`. */
class Logins {
  readonly throttle: LoginThrottle;
  readonly events: string[] = [];
  /** The comparisons of passwords. */
  readonly turns: HashTurn[] = [];
  /** Replaces the next comparisons. */
  readonly checks: (() => Promise<VerifiedLogin>)[] = [];

  constructor(throttle: NonNullable<KitAuthOptions['login']>['throttle'] = {}) {
    const { settings } = kitAuthOptions.resolve({ login: { throttle } });
    this.throttle = new LoginThrottle(settings, new Counters(settings));
    this.throttle.onModuleInit();
  }

  /** 200, the code of a refusal, or `42900 after 4`. */
  async try(
    username: string,
    password: string,
    address: string | undefined = '192.0.2.1',
    isPossible = true,
  ): Promise<Outcome> {
    const client = { address, userAgent: undefined, hasLeft: () => false };
    const action = { note: ({ type }) => void this.events.push(type) } as Partial<AuthAction> as AuthAction;
    const attempt = { username, client, action, isPossible, first: 'password', fields: {} };
    const compared = this.throttle.around(attempt, (turn) => this.compare(username, password, turn));
    let isOver = false;
    const outcome = compared
      .then(async (login) => {
        await this.throttle.succeeded(login, attempt);
        return 200;
      })
      .catch((error: unknown) =>
        error instanceof AuthException
          ? error.code === AuthErrorCode.TOO_MANY_ATTEMPTS
            ? `${error.code} after ${error.retryAfter}`
            : error.code
          : String(error),
      )
      .finally(() => (isOver = true));
    await this.pass(() => isOver);
    return outcome;
  }

  /** Lets timers run, while the date stays as it is. */
  private async pass(isOver: () => boolean): Promise<void> {
    for (let waited = 0; waited < 20 && !isOver(); waited++) {
      const now = Date.now();
      await jest.advanceTimersByTimeAsync(waited === 0 ? 0 : 600);
      jest.setSystemTime(now);
    }
  }

  /** So many guesses, one after the other. */
  async guess(times: number, username = 'ada', address?: string): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < times; i++) {
      outcomes.push(await this.try(username, 'wrong', address));
    }
    return outcomes;
  }

  private compare(username: string, password: string, turn: HashTurn | undefined): Promise<VerifiedLogin> {
    this.turns.push(turn!);
    const check = this.checks.shift();
    if (check !== undefined) {
      return check();
    }
    const account = password === 'right' ? ACCOUNTS[username] : undefined;
    return account === 200
      ? Promise.resolve({ ...RIGHT, user: { username } } as VerifiedLogin)
      : Promise.reject(new AuthException((account ?? AuthErrorCode.LOGIN_FAILED) as AuthErrorCode));
  }
}

describe('LoginThrottle', () => {
  let logins: Logins;
  let networks: number;
  const newAddress = () => `198.51.100.${++networks}`;
  beforeEach(() => {
    logins = new Logins();
    networks = 0;
  });

  /** An address that ada has logged in from. */
  const newHome = async () => {
    const address = newAddress();
    expect(await logins.try('ada', 'right', address)).toBe(200);
    return address;
  };
  it('knows for thirty days where an account has logged in from', async () => {
    const home = await newHome();
    const known = (username: string, address: string | undefined) =>
      logins.throttle.knows(username, { address });
    expect(await known('ada', home)).toBe(true);
    expect([
      await known('off', home),
      await known('ada', newAddress()),
      await known('ada', undefined),
    ]).toEqual([false, false, false]);
    later(30 * 24 * 60 * 60);
    expect(await known('ada', home)).toBe(false);
    logins = new Logins(false);
    expect(await known('ada', await newHome())).toBe(false);
  });

  const lockFromElsewhere = async (username: string) => {
    expect(await logins.guess(5, username, newAddress())).toEqual(FIVE_WRONG);
  };
  const atOnce = (times: number, login: () => Promise<Outcome>) =>
    Promise.all(Array.from({ length: times }, login));
  const count = (outcomes: Outcome[], wanted: Outcome) =>
    outcomes.filter((outcome) => outcome === wanted).length;

  it('evaluates five of twenty parallel guesses, and counts all', async () => {
    const outcomes = await atOnce(20, () => logins.try('ada', 'wrong'));
    expect([count(outcomes, 40110), count(outcomes, '42900 after 1')]).toEqual([5, 15]);
    expect(logins.turns).toHaveLength(5);
    later(1);
    expect(await logins.guess(2)).toEqual([40110, '42900 after 900']);
    expect(await logins.throttle.lockedUntil('ada')).toEqual(new Date(Date.now() + 900_000));
  });

  it('doubles the wait with every further failure, up to the longest, and counts no refusal', async () => {
    logins = new Logins({ maxWaitSeconds: 10 });
    await logins.guess(5);
    for (const wait of [1, 2, 4, 8, 10, 10]) {
      expect(await logins.guess(3)).toEqual(Array(3).fill(`42900 after ${wait}`));
      later(wait - 0.5);
      expect(await logins.guess(1)).toEqual(['42900 after 1']);
      later(0.5);
      expect(await logins.guess(1)).toEqual([40110]);
    }
  });

  it('publishes one event for each time that a gate is closed', async () => {
    await logins.guess(8);
    expect(logins.events).toEqual(['login-throttled']);
    later(1);
    await logins.guess(3);
    expect(logins.events).toHaveLength(2);
  });

  it('accepts the right password after the wait, and then forgets all failures', async () => {
    await logins.guess(5);
    later(1);
    expect(await logins.guess(1)).toEqual([40110]);
    expect(await logins.try('ada', 'right')).toBe('42900 after 2');
    later(2);
    expect(await logins.try('ada', 'right')).toBe(200);
    expect(await logins.guess(6)).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('treats a /64 as one address, and clients without an address as one', async () => {
    for (let i = 1; i <= 5; i++) {
      expect(await logins.try(`name-${i}`, 'wrong', `2001:db8::${i}`)).toBe(40110);
      expect(await logins.try(`other-${i}`, 'wrong', i % 2 === 0 ? '' : 'unknown')).toBe(40110);
    }
    expect(await logins.try('ada', 'right', '2001:0DB8:0::ffff:1')).toBe('42900 after 1');
    expect(await logins.try('ada', 'right', 'no address')).toBe('42900 after 1');
    expect(await logins.try('ada', 'right', '2001:db8:0:1::1')).toBe(200);
    expect(await logins.try('ada', 'right')).toBe(200);
  });

  it('has one budget for all spellings of a name', async () => {
    logins = new Logins({ addressFailures: 100 });
    for (const name of ['ada', 'ADA', ' ada ', '\u00e1da', '\uff41da']) {
      expect(await logins.try(name, 'wrong')).toBe(40110);
    }
    for (const name of ['ada', 'Ada', 'ada\u200b']) {
      expect(await logins.try(name, 'right')).toBe('42900 after 1');
    }
    expect(await logins.try('bob', 'wrong')).toBe(40110);
  });

  it('does not let logins of a similarly named account offset guesses', async () => {
    logins = new Logins({ addressFailures: 1000 });
    const outcomes: Outcome[] = [];
    for (let i = 0; i < 4; i++) {
      outcomes.push(...(await logins.guess(3)), await logins.try('Ada', 'right'));
    }
    expect(count(outcomes, 40110)).toBeLessThanOrEqual(5);
    later(60);
    expect(await logins.try('ada', 'right')).toBe(200);
  });

  it('slows down an address that tries one name after another', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expect(await logins.try(name, 'wrong')).toBe(40110);
    }
    expect(await logins.try('f', 'wrong')).toBe('42900 after 1');
    later(1);
    expect(await logins.try('ada', 'right')).toBe(200); // which buys the address nothing
    expect(await logins.guess(2, 'g')).toEqual([40110, '42900 after 2']);
  });

  it('does not lock out a known address because others guess, and limits its own guesses', async () => {
    const [home, elsewhere] = [await newHome(), newAddress()];
    expect(await logins.guess(6, 'ada', elsewhere)).toEqual([...FIVE_WRONG, '42900 after 1']);
    expect(await logins.try('ada', 'right', newAddress())).toBe('42900 after 1');
    expect(await logins.try('ada', 'right', home)).toBe(200);
    expect(await logins.guess(6, 'ada', home)).toEqual(Array(6).fill('42900 after 1'));
    expect(await logins.try('ada', 'right', home)).toBe('42900 after 1');
    later(1);
    expect(await logins.try('ada', 'right', home)).toBe(200);
    // The guesser's failures are still there: what the known address does is its own.
    expect(await logins.guess(2, 'ada', newAddress())).toEqual([40110, '42900 after 2']);
  });

  it('forgets a known address after thirty days', async () => {
    const home = await newHome();
    later(29 * 86_400);
    await lockFromElsewhere('ada');
    expect(await logins.try('ada', 'right', home)).toBe(200);
    later(30 * 86_400);
    await lockFromElsewhere('ada');
    expect(await logins.try('ada', 'right', home)).toBe('42900 after 1');
  });

  it('forgets failures a day after the first', async () => {
    await logins.guess(4);
    later(86_400);
    expect(await logins.guess(6)).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('does not count a right password on a disabled account as a failure', async () => {
    logins = new Logins({ addressFailures: 100 });
    await logins.guess(5, 'off');
    expect(await logins.try('off', 'right')).toBe('42900 after 1');
    later(1);
    for (let i = 0; i < 10; i++) {
      expect(await logins.try('off', 'right')).toBe(AuthErrorCode.USER_DISABLED);
    }
    expect(await logins.guess(6, 'off')).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('does not count what is no wrong password', async () => {
    await logins.guess(4);
    for (const trouble of [new Error('x'), undefined, new AuthException(AuthErrorCode.AUTH_UNAVAILABLE)]) {
      logins.checks.push(() => Promise.reject(trouble));
      await logins.guess(1);
    }
    expect(await logins.guess(2)).toEqual([40110, '42900 after 1']);
  });

  it('has the limits that are configured, or none', async () => {
    logins = new Logins({ failures: 2, addressFailures: 3 });
    expect(await logins.guess(3)).toEqual([40110, 40110, '42900 after 1']);
    expect(await logins.guess(2, 'bob')).toEqual([40110, '42900 after 1']);
    logins = new Logins(false);
    expect(await logins.guess(12)).toEqual(Array(12).fill(40110));
    await logins.throttle.unlock('ada');
    expect(await logins.throttle.lockedUntil('ada')).toBeNull();
  });

  it('guards a check outside of requests, and knows no device there', async () => {
    const action = { note: () => undefined } as Partial<AuthAction> as AuthAction;
    const outside = {
      username: 'ada',
      isPossible: true,
      first: 'password',
      fields: {},
      client: undefined,
      action,
    };
    const attempt = (check: () => Promise<VerifiedLogin>) => logins.throttle.around(outside, check);
    for (let i = 0; i < 5; i++) {
      await expect(attempt(WRONG)).rejects.toMatchObject({ code: 40110 });
    }
    const check = jest.fn(async () => RIGHT);
    await expect(attempt(check)).rejects.toMatchObject({ code: 42900, retryAfter: 1 });
    expect(check).not.toHaveBeenCalled();
    later(1);
    expect(await attempt(check)).toBe(RIGHT);
  });

  it('tells until when an account is locked, and unlocks it', async () => {
    expect(await logins.throttle.lockedUntil('ada')).toBeNull();
    await logins.guess(5);
    expect(await logins.throttle.lockedUntil(' ADA ')).toEqual(new Date(Date.now() + 1000));
    await logins.throttle.unlock(' ADA ');
    expect(await logins.throttle.lockedUntil('ada')).toBeNull();
    later(1); // for the address
    expect(await logins.guess(1)).toEqual([40110]);
    expect(await logins.throttle.lockedUntil('ada')).toBeNull();
  });

  describe('tells nobody without the right password', () => {
    it('whether an account exists or was ever used here, when the address is locked', async () => {
      const home = await newHome();
      for (let i = 0; i < 5; i++) {
        expect(await logins.try(`name-${i}`, 'wrong', home)).toBe(40110);
      }
      for (const name of ['ada', 'Ada', 'nobody']) {
        expect([name, await logins.try(name, 'wrong', home)]).toEqual([name, '42900 after 1']);
      }
      expect(await logins.try('ada', 'right', home)).toBe(200);
    });

    it('when the account is locked', async () => {
      const home = await newHome();
      for (const name of ['ada', 'off', 'nobody']) {
        await lockFromElsewhere(name);
        expect([name, await logins.try(name, 'wrong', home)]).toEqual([name, '42900 after 1']);
      }
      expect(await logins.try('ada', 'right', home)).toBe(200);
    });

    it('by the time of the answer, which does not depend on the hash', async () => {
      const home = await newHome();
      await lockFromElsewhere('ada');
      const elapsed: number[] = [];
      for (const check of [WRONG, () => new Promise<never>(() => undefined)]) {
        logins.checks.push(check);
        const began = performance.now();
        expect(await logins.try('ada', 'wrong', home)).toBe('42900 after 1');
        elapsed.push(performance.now() - began);
      }
      expect(elapsed).toEqual([600, 600]);
      expect(logins.turns.slice(-2).map(({ isKnown }) => isKnown)).toEqual([true, true]);
    });

    it('by how a known device counts for its address and its account', async () => {
      const homes = [await newHome(), await newHome()] as const;
      const outcomes = async (username: string, home: string) => {
        const other = newAddress();
        return [
          await logins.guess(3, username, home),
          await logins.guess(1, username, other),
          await logins.guess(3, username, home),
          await logins.guess(1, username, newAddress()),
          await logins.guess(2, `${username}2`, home),
        ];
      };
      expect(await outcomes('ada', homes[0])).toEqual(await outcomes('nobody', homes[1]));
    });
  });

  it('checks five of twenty parallel guesses from a known device, also at a locked account', async () => {
    const home = await newHome();
    const before = logins.turns.length;
    const outcomes = await atOnce(20, () => logins.try('ada', 'wrong', home));
    expect([count(outcomes, 40110), count(outcomes, '42900 after 1')]).toEqual([5, 15]);
    expect(logins.turns.length - before).toBe(5);

    logins = new Logins();
    const locked = await newHome();
    await lockFromElsewhere('ada');
    logins.turns.length = 0;
    const refused = await atOnce(20, () => logins.try('ada', 'wrong', locked));
    expect(new Set(refused)).toEqual(new Set(['42900 after 1']));
    expect(logins.turns).toHaveLength(5);
    expect(await logins.try('ada', 'right', locked)).toBe('42900 after 1');
    later(1);
    expect(await logins.try('ada', 'right', locked)).toBe(200);
  });

  it('compares the password of a known device in a place of its own when the queue is full', async () => {
    const home = await newHome();
    const busy = () => Promise.reject(new TooBusyException(3));
    logins.checks.push(busy);
    expect(await logins.try('ada', 'right', home)).toBe(200);
    expect(logins.turns.slice(-2).map(({ isKnown }) => isKnown)).toEqual([false, true]);
    logins.checks.push(busy, busy);
    expect(await logins.try('ada', 'right', home)).toBe(AuthErrorCode.AUTH_UNAVAILABLE);
    logins.checks.push(busy);
    expect(await logins.try('bob', 'right', newAddress())).toBe(AuthErrorCode.AUTH_UNAVAILABLE);
  });

  it('forgets the failures of an owner after each success, also for the address', async () => {
    const home = newAddress();
    for (let i = 0; i < 4; i++) {
      expect(await logins.guess(4, 'ada', home)).toEqual([40110, 40110, 40110, 40110]);
      expect(await logins.try('ada', 'right', home)).toBe(200);
    }
    expect(await logins.guess(5, 'nobody', home)).toEqual(FIVE_WRONG);
  });

  it('does not let concurrent successful logins offset guesses at others', async () => {
    const home = await newHome();
    const outcomes: Outcome[] = [];
    for (let i = 0; i < 6; i++) {
      outcomes.push(...(await logins.guess(1, `name-${i}`, home)));
      expect(await atOnce(3, () => logins.try('ada', 'right', home))).toEqual([200, 200, 200]);
    }
    expect(outcomes).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('counts passwords that cannot be right for the address only', async () => {
    const impossible = (address: string) => logins.try('ada', 'wrong', address, false);
    for (let i = 0; i < 6; i++) {
      expect(await impossible(newAddress())).toBe(40110);
    }
    expect(await logins.throttle.lockedUntil('ada')).toBeNull();
    const address = newAddress();
    for (let i = 0; i < 5; i++) {
      expect(await impossible(address)).toBe(40110);
    }
    expect(await impossible(address)).toBe('42900 after 1');
  });

  describe('lets an account that is unlocked in at once', () => {
    const unlock = async () => {
      expect((await logins.throttle.lockedUntil('ada'))!.getTime()).toBeGreaterThan(Date.now());
      await logins.throttle.unlock('Ada');
      expect(await logins.throttle.lockedUntil('ada')).toBeNull();
    };

    it('from the known device that it was mistyped at', async () => {
      const home = await newHome();
      expect(await logins.guess(6, 'ada', home)).toEqual([...FIVE_WRONG, '42900 after 1']);
      await unlock();
      expect(await logins.try('ada', 'right', home)).toBe(200);
    });

    it('from an address that it never logged in from, however long that is locked, and nobody else', async () => {
      const address = newAddress();
      for (let i = 0; i < 12; i++) {
        expect(await logins.guess(1, 'ada', address)).toEqual([40110]);
        later(2 ** Math.max(0, i - 4));
      }
      await logins.guess(1, 'ada', address);
      expect(await logins.try('ada', 'right', address)).toBe('42900 after 256');
      await unlock();
      expect(await logins.try('nobody', 'right', address)).toBe('42900 after 256');
      expect(await logins.try('ada', 'wrong', address)).toBe('42900 after 256');
      expect(await logins.try('ada', 'right', address)).toBe(200);
      expect(await logins.try('off', 'right', address)).toBe('42900 after 256');
    });

    it('from a known device that others locked the account for, and that was locked out itself', async () => {
      const home = await newHome();
      await lockFromElsewhere('ada');
      await logins.guess(6, 'ada', home);
      expect(await logins.try('ada', 'right', home)).toBe('42900 after 1');
      await unlock();
      expect(await logins.try('ada', 'right', home)).toBe(200);
    });

    it('also if a known device is locked out at a locked address', async () => {
      const home = await newHome();
      for (let i = 0; i < 6; i++) {
        await logins.try(`name-${i}`, 'wrong', home);
      }
      expect(await logins.guess(5, 'ada', home)).toEqual(Array(5).fill('42900 after 1'));
      expect(await logins.try('ada', 'right', home)).toBe('42900 after 1');
      await unlock();
      expect(await logins.try('ada', 'right', home)).toBe(200);
    });
  });
});
