import { hash, randomBytes } from 'node:crypto';
import type { UserId } from '../../contract/user-id.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { hasChecksum, withChecksum } from '../../tools/lookups.js';
import { asciiJson } from '../../tools/stored-login.js';
import type { AuthOneTime } from './auth-one-time.entity.js';

/** The maximum length of `NewOneTimeToken.data`, as JSON in UTF-8. */
export const MAX_DATA_BYTES = 2048;
const MAX_SUBJECT = 255;
/** The last time that a `Date` can hold. */
const MAX_TIME = 8.64e15;
/** Without capitals and spaces: some databases ignore both in comparisons. */
const PURPOSE = /^[a-z0-9][a-z0-9-]{0,31}$/;

export interface NewOneTimeToken {
  /**
   * The purpose of the token: 1 to 32 lower-case letters, digits and hyphens. The token is not accepted for other
   * purposes.
   */
  readonly purpose: string;
  /** The token ends when the security stamp of this user changes. */
  readonly userId?: UserId;
  /**
   * The stamp that the token depends on, if it was read before, for example when a request was admitted. Default: the
   * current stamp of the user.
   */
  readonly stamp?: string;
  /** The subject of the token besides the user, for example an address. At most 255 characters. */
  readonly subject?: string;
  /** Stored as JSON of at most 2 KB. */
  readonly data?: object;
  /**
   * How long the token works. For a week after that, refusals have the reason `expired`. With at most 600 seconds, the token
   * is deleted within about an hour of its end, and refusals then have no reason.
   */
  readonly ttlSeconds: number;
  /** Cancels the other tokens of this purpose, of the same user, or without a user about the same subject. */
  readonly replaces?: boolean;
}

export interface IssuedToken {
  /** `kato_...`. Send it to its user only. Never log it. */
  readonly token: string;
  /** Identifies the token in lists. It is not a secret. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** A live token, as the table has it. */
export interface OneTimeToken {
  readonly id: string;
  readonly userId: UserId | undefined;
  readonly subject: string | undefined;
  readonly data: unknown;
  /** How many attempts were counted. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * A valid token, with the security stamp that its user has now. Make the change on condition that the stamp is still the
 * same.
 */
export interface PeekedToken extends OneTimeToken {
  readonly purpose: string;
  /** The user's security stamp. An empty string for a token without a user. */
  readonly stamp: string;
}

/** Matches the tokens that have all of these members. */
export type OneTimeTokenFilter = Partial<Record<'id' | 'purpose' | 'subject', string>> & { userId?: UserId };

/** @throws IllegalStateException */
export function requirePurpose(purpose: string): void {
  if (!PURPOSE.test(purpose)) {
    throw new IllegalStateException(
      'The purpose of a one-time token must be 1 to 32 lower-case letters, digits and hyphens.',
    );
  }
}

/**
 * Checks the input of `issue()`, and converts it to columns.
 *
 * @throws IllegalStateException for values that the table cannot store
 */
export function columnsOf(
  { purpose, userId, subject, data, ttlSeconds, replaces = false }: NewOneTimeToken,
  now: number,
): Omit<AuthOneTime, 'id' | 'stamp'> {
  requirePurpose(purpose);
  const json = data === undefined ? undefined : JSON.stringify(data);
  const expiresAt = now + ttlSeconds * 1000;
  const isTtl = Number.isSafeInteger(ttlSeconds) && ttlSeconds > 0 && expiresAt <= MAX_TIME;
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [Buffer.byteLength(json ?? '') > MAX_DATA_BYTES, `has data of more than ${MAX_DATA_BYTES} bytes`],
    [(subject ?? '').length > MAX_SUBJECT, `has a subject of more than ${MAX_SUBJECT} characters`],
    [!isTtl, 'has an invalid ttlSeconds: it must be a positive integer'],
    [
      replaces && userId === undefined && subject === undefined,
      'replaces others, and has neither a user nor a subject',
    ],
  ];
  const [, problem] = checks.find(([isWrong]) => isWrong) ?? [];
  if (problem !== undefined) {
    throw new IllegalStateException(`A one-time token for ${purpose} ${problem}.`);
  }
  return {
    purpose,
    userId: userId === undefined ? null : String(userId),
    subject: subject ?? null,
    data: json === undefined ? null : asciiJson(json),
    attempts: 0,
    createdAt: now,
    expiresAt,
  };
}

/**
 * Reads a row.
 *
 * @param idFrom converts a string to the id of a user. Returns undefined for a string that is not an id
 * @returns undefined for a row that this package has not written
 */
export function tokenOf(
  row: AuthOneTime,
  idFrom: (text: string) => UserId | undefined,
): OneTimeToken | undefined {
  const { id, attempts, createdAt, expiresAt } = row;
  const userId = row.userId === null ? undefined : idFrom(row.userId);
  const data = dataOf(row.data);
  const isValid =
    data !== null &&
    (userId === undefined) === (row.userId === null) &&
    (userId === undefined) === (row.stamp === null) &&
    [attempts, createdAt, expiresAt].every(
      (value) => Number.isSafeInteger(value) && value >= 0 && value <= MAX_TIME,
    );
  return isValid
    ? {
        id,
        userId,
        subject: row.subject ?? undefined,
        data,
        attempts,
        createdAt: new Date(createdAt),
        expiresAt: new Date(expiresAt),
      }
    : undefined;
}

/** @returns null for a string that is not JSON of an object */
function dataOf(text: string | null): object | null | undefined {
  if (text === null) {
    return undefined;
  }
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' ? data : null;
  } catch {
    return null;
  }
}

const SECRET_BYTES = 32;
/** `kato_`, 256 bits in base64url, and a CRC-32 of all that in base 36. */
const FORM = /^(kato_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;

export function newToken(): { token: string; id: string } {
  const token = withChecksum(`kato_${randomBytes(SECRET_BYTES).toString('base64url')}`);
  return { token, id: hash('sha256', token, 'hex') };
}

/** Whether a string has the form of the ids in the table. Some databases refuse to compare others. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The id of a token in the table. @returns undefined for a malformed token, and for values other than strings */
export function idOf(token: unknown): string | undefined {
  const [text, body, check] = (typeof token === 'string' && FORM.exec(token)) || [];
  return text !== undefined && body !== undefined && hasChecksum(body, check)
    ? hash('sha256', text, 'hex')
    : undefined;
}
