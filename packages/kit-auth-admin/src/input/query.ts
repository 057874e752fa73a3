import {
  badRequest,
  INTEGER,
  list,
  object,
  type OptionalSchema,
  type Schema,
  type ServerOf,
  value,
} from 'kit-auth/feature';

const MAX_PAGE = 1_000_000;
const MAX_SIZE = 100;
const DEFAULT_SIZE = 20;
const MAX_TEXT_LENGTH = 255;

/** One page of a list, in an answer. */
export interface Page<T> {
  items: T[];
  /** The number of the page, from 1. */
  page: number;
  /** Number of items of a full page. */
  size: number;
  /** Number of items of all pages. */
  total: number;
}

/** The schema of a page. */
export function pageOf<S, W, Total>(item: Schema<S, W>, total: Schema<Total>) {
  return object({ items: list(item), page: INTEGER, size: INTEGER, total });
}

/** A parameter that may be absent or empty. */
export function parameter<T, Wire>(
  json: Schema['json'],
  read: (text: string, name: string) => T,
): OptionalSchema<T | undefined, Wire> {
  const readOrLeave = (given: unknown, name: string) => {
    const text = textOf(given, name);
    return text === undefined ? undefined : read(text, name);
  };
  return { ...value<T | undefined, Wire>(json, readOrLeave), isOptional: true };
}

/** @throws AuthException 40000 for a parameter that is repeated, too long, or contains characters that no database compares */
function textOf(given: unknown, name: string): string | undefined {
  if (given === '') {
    return undefined;
  }
  if (
    typeof given !== 'string' ||
    given.length > MAX_TEXT_LENGTH ||
    given.includes('\0') ||
    !given.isWellFormed()
  ) {
    throw badRequest(`${name} must be given once, with at most ${MAX_TEXT_LENGTH} characters`);
  }
  return given;
}

const TEXT_JSON = { type: 'string' };
export const TEXT_PARAMETER = parameter<string, string>(TEXT_JSON, (text) => text);
/** A time in ISO 8601. */
export const TIME_PARAMETER = parameter<Date, string>({ ...TEXT_JSON, format: 'date-time' }, (text, name) => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text)) {
    throw badRequest(`${name} must be a time such as 2026-01-31T12:00:00Z`);
  }
  return time;
});
/** Refuses a parameter that would have no effect. OpenAPI documents do not have it. */
export const unsupported = (why: string): OptionalSchema<undefined> =>
  parameter<undefined, undefined>(
    () => undefined,
    (_, name) => {
      throw badRequest(`${name} is not supported: ${why}`);
    },
  );

function integer(more: object, max: number): OptionalSchema<number | undefined, number> {
  return parameter<number, number>({ type: 'integer', ...more }, (text, name) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < 1 || number > max) {
      throw badRequest(`${name} must be a whole number from 1 to ${max}`);
    }
    return number;
  });
}

/** The parameters of lists in pages. */
export const PAGE = {
  page: integer({ default: 1 }, MAX_PAGE),
  size: integer({ default: DEFAULT_SIZE, maximum: MAX_SIZE }, MAX_SIZE),
};

/** @returns the page to answer; `skip` is the number of items before it */
export function rangeOf({ page = 1, size = DEFAULT_SIZE }: ServerOf<typeof PAGE>): {
  page: number;
  size: number;
  skip: number;
} {
  return { page, size, skip: (page - 1) * size };
}
