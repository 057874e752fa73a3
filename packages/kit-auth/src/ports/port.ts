/** What a method returns, or resolves to. */
export interface Returned {
  /** Completes "it returned a string instead of ...". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** What the core requires of a method of a contribution. */
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
  fits: (value) => Array.isArray(value) && value.every((it) => typeof it === 'string'),
};
export const LIST: Returned = { expected: 'a list', fits: Array.isArray };
export const OBJECT: Returned = { expected: 'an object', fits: isObject };

/** @param members that have to be objects, too */
export function objectWith(expected: string, ...members: readonly string[]): Returned {
  return {
    expected,
    fits: (value) => isObject(value) && members.every((name) => isObject(Reflect.get(value, name))),
  };
}

export function orUndefined({ expected, fits }: Returned): Returned {
  return { expected: `${expected} or undefined`, fits: (value) => value === undefined || fits(value) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
