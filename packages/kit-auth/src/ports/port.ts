import { Logger } from '@nestjs/common';
import type { LoginProof } from '../contract/login-proof.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';

/** The result of a method, or of its promise. */
export interface Returned {
  /** Completes "it returned a string instead of ...". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** The requirements for a method of a contribution. */
export interface MethodRule {
  /** Start-up fails without it. */
  readonly isRequired?: boolean;
  /** Whether the result is used as it is, so that a promise would count as one. */
  readonly isSync?: boolean;
  /** Any other result counts as a failure of the contribution. Default: any result will do. */
  readonly returns?: Returned;
  /** Whether it gets a function of the core to call. The time of that does not count as its own. */
  readonly callsBack?: boolean;
}

type MethodOf<T> = {
  [Name in keyof T]-?: NonNullable<T[Name]> extends (...args: never[]) => unknown ? Name : never;
}[keyof T];

/** An interface that contributions implement. */
export interface Port<T extends object> {
  readonly token: symbol;
  /** The name of the interface, for messages. */
  readonly contract: string;
  readonly methods: { readonly [Name in MethodOf<T>]: MethodRule };
  readonly properties: readonly Exclude<keyof T, MethodOf<T>>[];
  /** Whether a contribution without any of the methods does nothing, so that start-up fails. */
  readonly needsMethod?: boolean;
}

const TEXT_ID = /^[!-~]{1,128}$/;
const MAX_FACTORS = 16;
/** Constructors have a `prototype`. */
const FACTOR_NAME = /^(?!prototype$)[\w-]{1,32}$/;

export const NOTHING: Returned = {
  expected: 'nothing. To refuse, throw an AuthException',
  fits: (value) => value === undefined,
};
export const BOOLEAN: Returned = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
export const STRING: Returned = { expected: 'a string', fits: (value) => typeof value === 'string' };
export const NON_EMPTY_STRING: Returned = {
  expected: 'a string that is not empty',
  fits: (value) => typeof value === 'string' && value !== '',
};
export const STRINGS: Returned = {
  expected: 'a list of strings',
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};
export const LIST: Returned = { expected: 'a list', fits: Array.isArray };
export const OBJECT: Returned = { expected: 'an object', fits: isObject };

/** @param members members that must also be objects */
export function objectWith(expected: string, ...members: readonly string[]): Returned {
  return {
    expected,
    fits: (value) => isObject(value) && members.every((name) => isObject(Reflect.get(value, name))),
  };
}

export function orUndefined({ expected, fits }: Returned): Returned {
  return { expected: `${expected} or undefined`, fits: (value) => value === undefined || fits(value) };
}

/** Whether a value is an object, but not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a string can be the id of a user: 1 to 128 characters of printable ASCII, without spaces. */
export function isTextId(text: string): boolean {
  return TEXT_ID.test(text);
}

/** Whether an id is a string. */
export function isStringId(id: unknown): id is string {
  return typeof id === 'string';
}

/** Whether these factors fit into every token: at most 16, each with a name and a time. */
export function isFactors(value: unknown): value is LoginProof['factors'] {
  const factors = isObject(value) ? Object.entries(value) : undefined;
  return (
    factors !== undefined &&
    factors.length <= MAX_FACTORS &&
    factors.every(([name, time]) => isFactor(name, time))
  );
}

/**
 * Whether a factor can have this name and this time, in seconds since 1970. A name that objects have without it, such as
 * `__proto__`, would be lost or misread when the factors are copied.
 */
export function isFactor(name: string, time: unknown): time is number {
  return FACTOR_NAME.test(name) && !(name in Object.prototype) && isFactorTime(time);
}

/** Whether a value is a valid factor timestamp: seconds since 1970. */
export function isFactorTime(time: unknown): time is number {
  return Number.isSafeInteger(time) && (time as number) >= 0;
}

const logger = new Logger('KitAuth');

/**
 * The error that a caller gets when a contribution to a port throws: its own `AuthException`, or 50300 for any other
 * error, which is logged without the token.
 */
export function failureOf(error: unknown, what: string, token = ''): AuthException {
  if (error instanceof AuthException) {
    return error;
  }
  const hidden = (text: string) => (token === '' ? text : text.replaceAll(token, '<token>'));
  logger.error(`[auth] ${what} failed: ${hidden(describeError(error))}`, ...stackOf(error));
  // Configuration errors are permanent, so no `Retry-After`.
  const retryAfter = error instanceof IllegalStateException ? undefined : 1;
  return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter, cause: error });
}

/** Runs a call to a contribution. @throws AuthException like `failureOf` */
export async function attempting<T>(what: string, work: () => Promise<T>, token?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, what, token);
  }
}

const DEFAULT_ORDER = 100;

/** Sorts contributions in ascending order. Those with the same order stay as they are. */
export function inOrder<T extends { readonly order?: number }>(contributions: readonly T[]): T[] {
  const orderOf = ({ order = DEFAULT_ORDER }: T) => order;
  return [...contributions].sort((a, b) => orderOf(a) - orderOf(b));
}
