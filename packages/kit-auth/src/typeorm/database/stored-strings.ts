import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
  QueryFailedError,
} from 'typeorm';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';

/**
 * The errors for a string that a column cannot store or compare: SQLSTATE of PostgreSQL, error numbers of MySQL and
 * MariaDB.
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

/** Whether a statement failed because of one of its strings. That is the caller's mistake, not a database failure. */
export function isUnstorable(error: unknown): error is QueryFailedError {
  if (!(error instanceof QueryFailedError)) {
    return false;
  }
  const { code, errno } = error.driverError as { code?: unknown; errno?: unknown };
  return CODES.has(code) || CODES.has(errno);
}

/**
 * Handles the failure of a look-up by a string that the database cannot store: no row has such a string.
 *
 * @example
 * const user = await users.findOneBy({ username }).catch(ifUnstorable(null));
 */
export function ifUnstorable<T>(none: T): (error: unknown) => T {
  return (error) => {
    if (isUnstorable(error)) {
      return none;
    }
    throw error;
  };
}

/** The columns that contain free text. */
const FREE_TEXT = ['username', 'nickname', 'name'] as const;
type Strings = Readonly<Partial<Record<(typeof FREE_TEXT)[number], string | undefined>>>;

/** The database stored other characters, as MySQL does without its strict mode. */
class StoredValueChanged extends Error {
  constructor(readonly fields: readonly string[]) {
    super(`stored with other characters: ${fields.join(', ')}`);
  }
}

/**
 * Reads a row that a transaction has written, and throws if the database stored other strings, as MySQL does
 * without its strict mode. The exception rolls the transaction back. `asBadRequest` converts it to an `AuthException`.
 *
 * @param strings what the row must contain
 * @example
 * const { id } = await manager.save(user);
 * await verifyStored(manager, AuthUser, id, { nickname });
 */
export async function verifyStored<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  id: number | string,
  strings: Strings,
): Promise<void> {
  const stored = await manager.findOneBy(entity, { id } as unknown as FindOptionsWhere<Entity>);
  const changed = FREE_TEXT.filter((name) => strings[name] !== undefined && strings[name] !== stored?.[name]);
  if (changed.length > 0) {
    throw new StoredValueChanged(changed);
  }
}

/**
 * Handles the failure of a change: throws AuthException 40000 that names the strings which the database cannot store, and
 * rethrows other errors.
 *
 * @example
 * await this.create(input).catch(asBadRequest({ nickname: input.nickname }));
 */
export function asBadRequest(strings: Strings): (error: unknown) => never {
  return (error) => {
    const fields = error instanceof StoredValueChanged ? error.fields : fieldsOf(error, strings);
    if (fields === undefined) {
      throw error;
    }
    const message =
      `The database cannot store this ${fields.join(' and ')}. Use fewer or other characters, or give the database a ` +
      'character set for all of Unicode (utf8mb4 in MySQL and MariaDB, UTF8 in PostgreSQL)';
    throw new AuthException(AuthErrorCode.BAD_REQUEST, { message, cause: error });
  };
}

/** The fields at fault. Some databases do not name the column. */
function fieldsOf(error: unknown, strings: Strings): readonly string[] | undefined {
  if (!isUnstorable(error)) {
    return undefined;
  }
  const given = FREE_TEXT.filter((name) => strings[name] !== undefined);
  const named = given.filter((name) => new RegExp(`\\bcolumn\\b.*\\b${name}\\b`).test(error.message));
  const beyondAscii = given.filter((name) => /[^\0-\x7f]/.test(strings[name] ?? ''));
  return [named, beyondAscii].find((fields) => fields.length > 0) ?? given;
}
