import { DeadlineExceeded, withinDeadline } from '../errors/deadline.js';
import { isPromiseLike } from '../errors/maybe-promise.js';
import { kindOf } from '../errors/describe.js';
import { failureOf, type MethodRule, type Port } from './port.js';

/** An object that an extension has contributed. */
export interface Contributed {
  /** The class and its module, for messages. */
  readonly name: string;
  readonly instance: unknown;
}

type Method = (...args: unknown[]) => unknown;
type Call = (args: unknown[]) => unknown;

/**
 * Puts a guard around the methods of a contribution. An `AuthException` that they throw is passed on. Any other error, a
 * result of the wrong type and a promise that does not settle in time are failures of the contribution: its name is
 * logged, and the caller gets 50300. A method that returns no promise still returns none.
 *
 * @param timeoutMs for promises
 * @param returnsErrors methods return the exceptions that they would throw. Promises reject
 */
export function guarded<T extends object>(
  { name, instance }: Contributed,
  { methods, properties }: Omit<Port<T>, 'token'>,
  timeoutMs: number,
  returnsErrors = false,
): T {
  const members = instance as Readonly<Record<PropertyKey, unknown>>;
  // Named like the contribution.
  const guard = Object.create({ constructor: members['constructor'] }) as T;
  for (const property of properties) {
    Object.defineProperty(guard, property, { get: () => members[property] });
  }
  for (const [method, rule] of Object.entries<MethodRule>(methods)) {
    if (typeof members[method] === 'function') {
      const call: Call = (args) => (members[method] as Method).apply(instance, args);
      Reflect.set(
        guard,
        method,
        guardedMethod(`${method}() of ${name}`, call, rule, timeoutMs, returnsErrors),
      );
    }
  }
  return guard;
}

/** Runs for every request, so it creates no unnecessary functions or promises. */
function guardedMethod(
  what: string,
  call: Call,
  { isSync = false, callsBack = false, returns }: MethodRule,
  timeoutMs: number,
  returnsErrors: boolean,
): Method {
  const checked = (result: unknown): unknown => {
    if (returns?.fits(result) === false) {
      throw new TypeError(`it returned ${kindOf(result)} instead of ${returns.expected}`);
    }
    return result;
  };
  const settled = (promise: PromiseLike<unknown>, args: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.resolve(promise);
    const inTime = callsBack ? answer : withinDeadline(timeoutMs, answer, 'it');
    return (returns === undefined ? inTime : inTime.then(checked)).then(undefined, (error: unknown) =>
      Promise.reject(failureOf(error, what, tokenIn(args))),
    );
  };
  return (...args) => {
    try {
      const result = callsBack ? withinOwnTime(timeoutMs, args, call) : call(args);
      if (!isPromiseLike(result)) {
        return checked(result);
      }
      if (!isSync) {
        return settled(result, args);
      }
      // The result is not awaited.
      Promise.resolve(result).catch((error: unknown) => failureOf(error, what, tokenIn(args)));
      return checked(result);
    } catch (error) {
      const failure = failureOf(error, what, tokenIn(args));
      if (returnsErrors) {
        return failure;
      }
      throw failure;
    }
  };
}

/** The token that a method was called with, if any: it must not be logged. */
function tokenIn([first]: readonly unknown[]): string | undefined {
  const { token } = (first ?? {}) as { token?: unknown };
  return [first, token].find((value) => typeof value === 'string');
}

type Callback = (...args: unknown[]) => unknown;

/**
 * Calls a function that takes callbacks. Rejects when the function itself takes too long: the time of its callbacks
 * does not count.
 *
 * @param args functions among them are the callbacks
 */
async function withinOwnTime(
  milliseconds: number,
  args: readonly unknown[],
  call: (args: unknown[]) => unknown,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let expire = (): void => undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    expire = () => reject(new DeadlineExceeded(`it gave no answer in ${milliseconds} ms`));
  });
  const stop = () => clearTimeout(timer);
  const start = () => {
    if (!hasEnded) {
      timer = setTimeout(expire, milliseconds);
    }
  };
  const withoutTime =
    (callback: Callback): Callback =>
    async (...inner) => {
      stop();
      try {
        return await callback(...inner);
      } finally {
        start();
      }
    };
  start();
  try {
    const counted = args.map((arg) => (typeof arg === 'function' ? withoutTime(arg as Callback) : arg));
    return await Promise.race([call(counted), expired]);
  } finally {
    hasEnded = true;
    stop();
  }
}
