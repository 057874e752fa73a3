import { isUnusableText } from 'kit-auth/typeorm';
import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { badRequest } from './refusals.js';

/** The fields of inputs that hold free text. */
const FREE_TEXTS = ['username', 'nickname', 'name'] as const;
type Texts = Readonly<Partial<Record<(typeof FREE_TEXTS)[number], string | undefined>>>;

/** The database has changed a text rather than refuse it, as MySQL does outside of its strict mode. Ends the transaction. */
class TextNotKept extends Error {
  constructor(readonly fields: readonly string[]) {
    super(`not kept as it was: ${fields.join(', ')}`);
  }
}

/**
 * To be called in the transaction that has written a row.
 *
 * @param texts what the row has to hold now
 */
export async function requireKept<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  id: number,
  texts: Texts,
): Promise<void> {
  const kept = await manager.findOneBy(entity, { id } as unknown as FindOptionsWhere<Entity>);
  const changed = FREE_TEXTS.filter((name) => texts[name] !== undefined && texts[name] !== kept?.[name]);
  if (changed.length > 0) {
    throw new TextNotKept(changed);
  }
}

/**
 * For a change that failed: AuthException 40000 that names the texts of its input which the database cannot hold, where
 * that was the reason.
 */
export function refusingTexts(texts: Texts): (error: unknown) => never {
  return (error) => {
    const fields = error instanceof TextNotKept ? error.fields : fieldsOf(error, texts);
    if (fields === undefined) {
      throw error;
    }
    throw badRequest(
      `The database cannot hold this ${fields.join(' and ')}: use fewer or other characters, or give the database a ` +
        'character set for all of Unicode (utf8mb4 in MySQL and MariaDB, UTF8 in PostgreSQL)',
    );
  };
}

/** Not every database says which column it was. */
function fieldsOf(error: unknown, texts: Texts): readonly string[] | undefined {
  if (!isUnusableText(error)) {
    return undefined;
  }
  const given = FREE_TEXTS.filter((name) => texts[name] !== undefined);
  const named = given.filter((name) => new RegExp(`\\bcolumn\\b.*\\b${name}\\b`).test(error.message));
  const beyondAscii = given.filter((name) => /[^\0-\x7f]/.test(texts[name] ?? ''));
  return [named, beyondAscii].find((fields) => fields.length > 0) ?? given;
}
