import { QueryFailedError } from 'typeorm';

/**
 * The errors for a text that a column or its character set cannot hold or cannot be compared with: SQLSTATE of
 * PostgreSQL, error numbers of MySQL and MariaDB.
 */
const CODES: ReadonlySet<unknown> = new Set([
  '22001',
  '22021',
  '22P05',
  // Illegal mix of collations.
  1267,
  1270,
  1271,
  3988,
  // Invalid, incorrect and too long strings.
  1300,
  1366,
  1406,
  3854,
]);

/** Whether a statement failed because of one of its texts. This is a mistake of the caller, not a database failure. */
export function isUnusableText(error: unknown): error is QueryFailedError {
  if (!(error instanceof QueryFailedError)) {
    return false;
  }
  const { code, errno } = error.driverError as { code?: unknown; errno?: unknown };
  return CODES.has(code) || CODES.has(errno);
}

/**
 * Handles the failure of a look-up by a text that the database cannot store: no row has such a text.
 *
 * @example
 * const user = await users.findOneBy({ username }).catch(noneIfUnusable(null));
 */
export function noneIfUnusable<T>(none: T): (error: unknown) => T {
  return (error) => {
    if (isUnusableText(error)) {
      return none;
    }
    throw error;
  };
}
