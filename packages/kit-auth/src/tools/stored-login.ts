import { hash } from 'node:crypto';
import type { LoginProof } from '../contract/login-proof.js';
import type { UserId } from '../contract/user-id.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { isFactors, isFactorTime, isObject, isStringId, isTextId } from '../ports/port.js';
import { BoundedMap } from './lookups.js';

/** The maximum of an id column on every database. */
export const MAX_USER_ID = 2 ** 31 - 1;

/** Longer than any number in base 36. */
const OWNER_LENGTH = 16;
const OWNER = /^(?:[1-9a-z][0-9a-z]{0,10}|[\w-]{16})$/;

/**
 * The first part of a session id: the number in base 36, or 96 bits of a hash of the string. It names the user in the
 * keys of a store, which may not take strings of any length and form.
 */
export function ownerOf(userId: UserId): string {
  return isStringId(userId)
    ? hash('sha256', userId, 'base64url').slice(0, OWNER_LENGTH)
    : userId.toString(36);
}

/** Whether a session id is one of this user. False for malformed ids. */
export function isOwnedBy(sessionId: string, userId: UserId): boolean {
  const at = sessionId.indexOf('.');
  const owner = sessionId.slice(0, at);
  return (
    OWNER.test(owner) &&
    owner === ownerOf(userId) &&
    /^(?:[\w-]{43}|[\w-]{22})$/.test(sessionId.slice(at + 1))
  );
}

/** The id of a user, from a store of strings. The id of the session tells whether it was a number. */
export function userIdFrom(sessionId: string, text: string): UserId {
  return (sessionId.indexOf('.') === OWNER_LENGTH ? text : Number(text)) as UserId;
}

/** Whether sessions can belong to a user with this id. Some databases fail on higher numbers, others find nothing. */
export function isUserId(id: UserId): boolean {
  return isStringId(id) ? isTextId(id) : Number.isInteger(id) && id >= 1 && id <= MAX_USER_ID;
}

/** The stored part of a proof. The `loginId` is the id of the session. */
type StoredProof = Omit<LoginProof, 'loginId'>;

const MAX_PROOF_BYTES = 512;
const MAX_CACHED = 1000;
const NO_PROOF: StoredProof = Object.freeze({ factors: Object.freeze({}) });

/**
 * The JSON text of a proof, at most 512 bytes in UTF-8.
 *
 * @returns undefined when there is nothing to store
 * @throws IllegalStateException when the text would be longer, or could not be read again
 */
export function writeProof({ factors, expiresAt, actor }: LoginProof): string | undefined {
  if (Object.keys(factors).length === 0 && expiresAt === undefined && actor === undefined) {
    return undefined;
  }
  const text = JSON.stringify({
    factors,
    expiresAt,
    actor: actor && { userId: actor.userId, username: actor.username },
  });
  if (Buffer.byteLength(text) > MAX_PROOF_BYTES) {
    throw new IllegalStateException(`The proof of a login has more than ${MAX_PROOF_BYTES} bytes as JSON.`);
  }
  if (parse(text) === undefined) {
    throw new IllegalStateException(
      'The proof of a login is not valid: times are whole seconds, names of factors have at most 32 characters, and none ' +
        'is a name such as __proto__.',
    );
  }
  return text;
}

/** The same JSON in ASCII. Databases with a one-byte encoding cannot store all user names otherwise. */
export function asciiJson(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The end of a login in milliseconds since 1970. */
export function endOfLogin({ expiresAt = Infinity }: LoginProof): number {
  return expiresAt * 1000;
}

/** Reads stored proofs. Caches the latest: parsing takes 1 µs, as long as the rest of a look-up in memory. */
export class ProofReader {
  private readonly cache = new BoundedMap<string, StoredProof>(MAX_CACHED);

  /** @returns a proof without factors when the text is missing or not what `writeProof` returns */
  read(loginId: string, text: string | undefined): LoginProof {
    return { loginId, ...(text === undefined ? NO_PROOF : this.stored(text)) };
  }

  private stored(text: string): StoredProof {
    const known = this.cache.get(text);
    if (known !== undefined) {
      return known;
    }
    const proof = parse(text) ?? NO_PROOF;
    this.cache.set(text, proof);
    return proof;
  }
}

/** @returns the proof, frozen because requests share it; undefined for any other string */
function parse(text: unknown): StoredProof | undefined {
  const { factors, expiresAt, actor } = objectOf(text);
  if (
    !isFactors(factors) ||
    !(expiresAt === undefined || isFactorTime(expiresAt)) ||
    !(actor === undefined || isActor(actor))
  ) {
    return undefined;
  }
  return Object.freeze({
    factors: Object.freeze(factors),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(actor !== undefined && {
      actor: Object.freeze({ userId: actor.userId, username: actor.username }),
    }),
  });
}

function objectOf(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text as string);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isActor(value: unknown): value is NonNullable<LoginProof['actor']> {
  const { userId, username } = (value ?? {}) as Record<string, unknown>;
  return isUserId(userId as UserId) && typeof username === 'string';
}
