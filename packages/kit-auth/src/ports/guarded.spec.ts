import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { guarded } from './guarded.js';
import { BOOLEAN, NOTHING, type Port } from './port.js';

interface Example {
  readonly prefix: string;
  later?(token: string): unknown;
  now?(): unknown;
  refuse?(): unknown;
  around?(check: () => Promise<unknown>): Promise<unknown>;
}

const PORT: Omit<Port<Example>, 'token'> = {
  contract: 'Example',
  methods: {
    later: {},
    now: { isSync: true, returns: BOOLEAN },
    refuse: { returns: NOTHING },
    around: { callsBack: true },
  },
  properties: ['prefix'],
};
const UNAVAILABLE = { code: AuthErrorCode.AUTH_UNAVAILABLE };
const never = () => new Promise<never>(() => undefined);

/** Lets what is ready run, without time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

describe('a guarded contribution', () => {
  const error = jest.fn<(line: string) => void>();
  const lines = () => error.mock.calls.map(([line]) => line);
  const guard = (methods: Partial<Example>, returnsErrors?: boolean) =>
    guarded<Example>(
      { name: 'Thing (of AppModule)', instance: { prefix: 'x', ...methods } },
      PORT,
      5000,
      returnsErrors,
    );

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'performance'] });
    error.mockClear();
    const logger = { error, log: () => undefined, warn: () => undefined };
    Logger.overrideLogger(logger);
  });
  afterEach(() => {
    jest.useRealTimers();
    Logger.overrideLogger(false);
  });

  it('has the members of its port, and no others', () => {
    const thing = guard({ now: () => true });
    expect([thing.prefix, thing.now?.(), 'later' in thing]).toEqual(['x', true, false]);
    class Contributed {
      readonly prefix = 'x';
    }
    const named = guarded<Example>({ name: 'x', instance: new Contributed() }, PORT, 5000);
    expect(named.constructor).toBe(Contributed);
  });

  it('returns no promise where the method returns none', async () => {
    expect(guard({ later: () => 7 }).later?.('katr_1')).toBe(7);
    await expect(guard({ later: async () => 7 }).later?.('katr_1')).resolves.toBe(7);
  });

  it('passes a refusal on, and logs nothing', async () => {
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID);
    const refuse = () => {
      throw refusal;
    };
    expect(() => guard({ later: refuse }).later?.('katr_1')).toThrow(refusal);
    await expect(guard({ later: async () => refuse() }).later?.('katr_1')).rejects.toBe(refusal);
    expect(lines()).toEqual([]);
  });

  it('returns refusals and failures to a caller that asks for it, and no promise of one', async () => {
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID);
    const failing = (error: Error) => guard({ refuse: () => Promise.reject(error) }, true).refuse?.();
    const throwing = (error: Error) =>
      guard(
        {
          refuse: () => {
            throw error;
          },
        },
        true,
      ).refuse?.();
    expect(throwing(refusal)).toBe(refusal);
    expect(throwing(new Error('down'))).toMatchObject(UNAVAILABLE);
    await expect(failing(refusal)).rejects.toBe(refusal);
    await expect(failing(new Error('down'))).rejects.toMatchObject(UNAVAILABLE);
  });

  it('names the method and the class of a failure, without the token', async () => {
    const fail = () => {
      throw new Error('cannot read katr_secret');
    };
    expect(() => guard({ later: fail }).later?.('katr_secret')).toThrow(expect.objectContaining(UNAVAILABLE));
    await expect(guard({ later: async () => fail() }).later?.('katr_secret')).rejects.toMatchObject(
      UNAVAILABLE,
    );
    const line = '[auth] later() of Thing (of AppModule) failed: Error: cannot read <token>';
    expect(lines()).toEqual([line, line]);
  });

  it('fails when a promise does not settle in time', async () => {
    const answer = expect(guard({ later: never }).later?.('katr_1')).rejects.toMatchObject(UNAVAILABLE);
    await jest.advanceTimersByTimeAsync(5001);
    await answer;
    expect(lines()).toEqual([
      '[auth] later() of Thing (of AppModule) failed: DeadlineExceeded: it gave no answer in 5000 ms',
    ]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves no timer when it settles', async () => {
    await guard({ later: async () => 7 }).later?.('katr_1');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([undefined, 'true', 1, Promise.resolve(true)])(
    'fails when it returns %p instead of a boolean',
    (answer) => {
      expect(() => guard({ now: () => answer }).now?.()).toThrow(expect.objectContaining(UNAVAILABLE));
    },
  );

  it('does not leave a rejection unhandled that nobody waits for', async () => {
    const thing = guard({ now: () => Promise.reject(new Error('late')) });
    expect(() => thing.now?.()).toThrow(expect.objectContaining(UNAVAILABLE));
    await settle();
    expect(lines().join()).toContain('Error: late');
  });

  it('fails when a method that refuses by throwing returns something', async () => {
    expect(() => guard({ refuse: () => false }).refuse?.()).toThrow(expect.objectContaining(UNAVAILABLE));
    await expect(guard({ refuse: async () => false }).refuse?.()).rejects.toMatchObject(UNAVAILABLE);
    await expect(guard({ refuse: async () => undefined }).refuse?.()).resolves.toBeUndefined();
    expect(lines()[0]).toContain(
      'it returned a boolean instead of nothing. To refuse, throw an AuthException',
    );
  });

  it('does not count the time of what it calls back', async () => {
    let end = (): void => undefined;
    const check = () => new Promise<string>((resolve) => (end = () => resolve('checked')));
    const answer = guard({ around: (inner) => inner() }).around?.(check);
    await jest.advanceTimersByTimeAsync(60_000);
    end();
    await expect(answer).resolves.toBe('checked');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['before', never],
    ['after', async (check: () => Promise<unknown>) => check().then(never)],
  ])('counts the time %s what it calls back', async (_when, around) => {
    const answer = expect(guard({ around }).around?.(async () => 1)).rejects.toMatchObject(UNAVAILABLE);
    await jest.advanceTimersByTimeAsync(5001);
    await answer;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('starts no timer for a call back that ends after the answer', async () => {
    let end = (): void => undefined;
    const check = () => new Promise<void>((resolve) => (end = resolve));
    await guard({ around: async (inner) => void inner() }).around?.(check);
    end();
    await settle();
    expect(jest.getTimerCount()).toBe(0);
  });
});
