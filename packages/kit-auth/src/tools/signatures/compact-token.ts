import { isUtf8 } from 'node:buffer';
import { MAX_TOKEN_LENGTH } from '../../contract/settings.js';
import { isObject } from '../../ports/port.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A token in compact form (RFC 7515 section 7.1), not verified yet. */
export interface CompactToken {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** The signed part. */
  readonly input: string;
  /** The signature, in base64url. */
  readonly signature: string;
}

const COMPACT_FORM = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * Reads a token strictly: base64url without spare bits, UTF-8, and JSON objects without a name that occurs twice, because
 * parsers disagree about which one counts.
 *
 * @returns undefined for anything else
 */
export function readCompact(token: string): CompactToken | undefined {
  const [, first, second, signature] = (token.length <= MAX_TOKEN_LENGTH && COMPACT_FORM.exec(token)) || [];
  if (first === undefined || second === undefined || signature === undefined) {
    return undefined;
  }
  const header = readPart(first);
  const payload = header && readPart(second);
  return header && payload && { header, payload, input: `${first}.${second}`, signature };
}

function readPart(part: string): JsonObject | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return isUtf8(bytes) && bytes.toString('base64url') === part ? parseObject(bytes.toString()) : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  let members = 0;
  try {
    const value: unknown = JSON.parse(text, function (this: unknown, _name, member: unknown) {
      members += Array.isArray(this) ? 0 : 1;
      return member;
    });
    // Each member has one colon outside of strings. The parser also counts the value itself.
    const colons = text.replaceAll(STRING, '').split(':').length - 1;
    return isObject(value) && colons === members - 1 ? value : undefined;
  } catch {
    return undefined;
  }
}
