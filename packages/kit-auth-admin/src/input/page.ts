import { badRequest } from 'kit-auth/extend';

const MAX_PAGE = 1_000_000;
const MAX_SIZE = 100;
const DEFAULT_SIZE = 20;
const MAX_TEXT_LENGTH = 255;

/** One page of a list, in an answer. */
export interface Page<T> {
  items: T[];
  /** The number of the page, from 1. */
  page: number;
  /** How many items a full page has. */
  size: number;
  /** How many items all pages have. */
  total: number;
}

export interface PageRequest {
  page: number;
  size: number;
  /** How many items come before the page. */
  skip: number;
}

/** A parsed query string. The value of a repeated parameter is a list. */
export type Query = Readonly<Record<string, unknown>>;

/** @throws AuthException 40000 unless `page` is 1 to 1,000,000 and `size` is 1 to 100 */
export function readPage(query: Query): PageRequest {
  const page = readInteger(query, 'page', MAX_PAGE) ?? 1;
  const size = readInteger(query, 'size', MAX_SIZE) ?? DEFAULT_SIZE;
  return { page, size, skip: (page - 1) * size };
}

/**
 * @returns undefined for a parameter that is absent or empty
 * @throws AuthException 40000 for a parameter that is repeated, too long, or contains characters that a database cannot
 * compare
 */
export function readText(query: Query, name: string): string | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined || value === '') {
    return undefined;
  }
  if (
    typeof value !== 'string' ||
    value.length > MAX_TEXT_LENGTH ||
    value.includes('\0') ||
    !value.isWellFormed()
  ) {
    throw badRequest(`${name} must be given once, with at most ${MAX_TEXT_LENGTH} characters`);
  }
  return value;
}

/** @throws AuthException 40000 for a string that is not a time in ISO 8601 */
export function readTime(query: Query, name: string): Date | undefined {
  const text = readText(query, name);
  if (text === undefined) {
    return undefined;
  }
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text)) {
    throw badRequest(`${name} must be a time such as 2026-01-31T12:00:00Z`);
  }
  return time;
}

function readInteger(query: Query, name: string, max: number): number | undefined {
  const text = readText(query, name);
  if (text === undefined) {
    return undefined;
  }
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw badRequest(`${name} must be a whole number from 1 to ${max}`);
  }
  return value;
}
