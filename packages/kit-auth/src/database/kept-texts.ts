import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { isUnusableText } from './unusable-text.js';

/** The columns that contain free text. */
const FREE_TEXTS = ['username', 'nickname', 'name'] as const;
type Texts = Readonly<Partial<Record<(typeof FREE_TEXTS)[number], string | undefined>>>;

/** The database stored a text with other characters, as MySQL does without its strict mode. */
class TextNotKept extends Error {
  constructor(readonly fields: readonly string[]) {
    super(`stored with other characters: ${fields.join(', ')}`);
  }
}

/**
 * Reads a row that a transaction has written, and throws if the database stored other texts. MySQL does so
 * without its strict mode. The exception rolls the transaction back. `refusingTexts` converts it to an `AuthException`.
 *
 * @param texts what the row must contain
 * @example
 * const { id } = await manager.save(user);
 * await requireKept(manager, AuthUser, id, { nickname });
 */
export async function requireKept<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  id: number | string,
  texts: Texts,
): Promise<void> {
  const kept = await manager.findOneBy(entity, { id } as unknown as FindOptionsWhere<Entity>);
  const changed = FREE_TEXTS.filter((name) => texts[name] !== undefined && texts[name] !== kept?.[name]);
  if (changed.length > 0) {
    throw new TextNotKept(changed);
  }
}

/**
 * Handles the failure of a change: throws AuthException 40000 that names the texts which the database cannot store, and
 * other errors again.
 *
 * @example
 * await this.create(input).catch(refusingTexts({ nickname: input.nickname }));
 */
export function refusingTexts(texts: Texts): (error: unknown) => never {
  return (error) => {
    const fields = error instanceof TextNotKept ? error.fields : fieldsOf(error, texts);
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
function fieldsOf(error: unknown, texts: Texts): readonly string[] | undefined {
  if (!isUnusableText(error)) {
    return undefined;
  }
  const given = FREE_TEXTS.filter((name) => texts[name] !== undefined);
  const named = given.filter((name) => new RegExp(`\\bcolumn\\b.*\\b${name}\\b`).test(error.message));
  const beyondAscii = given.filter((name) => /[^\0-\x7f]/.test(texts[name] ?? ''));
  return [named, beyondAscii].find((fields) => fields.length > 0) ?? given;
}
