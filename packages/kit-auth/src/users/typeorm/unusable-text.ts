import { QueryFailedError } from 'typeorm';

/**
 * What databases answer to a text that a column or a character set cannot hold, or that they cannot compare with one:
 * SQLSTATE of PostgreSQL, error numbers of MySQL and MariaDB.
 */
const CODES: ReadonlySet<unknown> = new Set([
  ...['22001', '22021', '22P05'],
  // Illegal mix of collations.
  ...[1267, 1270, 1271, 3988],
  // Invalid and incorrect strings, and those that are too long.
  ...[1300, 1366, 1406, 3854],
]);

/** Whether a statement failed because of a text that came with it: the caller's mistake and no trouble of the database. */
export function isUnusableText(error: unknown): error is QueryFailedError {
  if (!(error instanceof QueryFailedError)) {
    return false;
  }
  const { code, errno } = error.driverError as { code?: unknown; errno?: unknown };
  return CODES.has(code) || CODES.has(errno);
}

/** For a look-up: a text that the database cannot hold is in no row. */
export function noneIfUnusable<T>(none: T): (error: unknown) => T {
  return (error) => {
    if (isUnusableText(error)) {
      return none;
    }
    throw error;
  };
}
