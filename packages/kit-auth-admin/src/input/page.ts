import { badRequest } from './refusals.js';

export interface Page<T> {
  items: T[];
  page: number;
  size: number;
  total: number;
}

export interface PageRequest {
  page: number;
  size: number;
  /** How many items come before it. */
  skip: number;
}

/** As a platform parses it: a value that comes twice is a list. */
export type Query = Readonly<Record<string, unknown>>;

/** @throws AuthException 40000 unless `page` is 1 to 1000000 and `size` 1 to 100 */
export function readPage(query: Query): PageRequest {
  const page = readInteger(query, 'page', 1, 1_000_000) ?? 1;
  const size = readInteger(query, 'size', 1, 100) ?? 20;
  return { page, size, skip: (page - 1) * size };
}

/** @throws AuthException 40000 for what is given twice, is too long or holds what a database cannot compare */
export function readText(query: Query, name: string): string | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined || value === '') {
    return undefined;
  }
  if (typeof value !== 'string' || value.length > 255 || value.includes('\0') || !value.isWellFormed()) {
    throw badRequest(`${name} must be given once, with at most 255 characters`);
  }
  return value;
}

/** @throws AuthException 40000 for a value that is no time in ISO 8601 */
export function readTime(query: Query, name: string): Date | undefined {
  const text = readText(query, name);
  const time = text === undefined ? undefined : new Date(text);
  if (time !== undefined && (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text ?? ''))) {
    throw badRequest(`${name} must be a time such as 2026-01-31T12:00:00Z`);
  }
  return time;
}

function readInteger(query: Query, name: string, min: number, max: number): number | undefined {
  const text = readText(query, name);
  const value = text === undefined ? undefined : Number(text);
  if (value !== undefined && (!/^\d+$/.test(text ?? '') || value < min || value > max)) {
    throw badRequest(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}
