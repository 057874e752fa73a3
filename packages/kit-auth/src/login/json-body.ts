import type { IncomingMessage } from 'node:http';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;
/** In characters; more than any name or password that could be right, and little enough to compare. */
const MAX_LENGTH = 1024;

/** A request after the platform's body parser. */
export type JsonRequest = Pick<IncomingMessage, 'headers'> & { body?: unknown };

/**
 * Takes texts that are not blank out of a parsed JSON body. It looks at these fields alone, so that neither a pipe of
 * the application nor the depth of the body matters.
 *
 * @throws AuthException 40000 `BAD_REQUEST`
 */
export function readTexts<const Name extends string>(
  { headers, body }: JsonRequest,
  names: readonly Name[],
): Record<Name, string> {
  const texts: Partial<Record<Name, string>> = {};
  const isJson = JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
  for (const name of names) {
    const value = isJson && isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined;
    if (!isText(value)) {
      const fields = names.map((it) => JSON.stringify(it)).join(' and ');
      throw new AuthException(AuthErrorCode.BAD_REQUEST, {
        message: `Send a JSON object with the strings ${fields} as application/json`,
      });
    }
    texts[name] = value;
  }
  return texts as Record<Name, string>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH && value.isWellFormed()
  );
}
