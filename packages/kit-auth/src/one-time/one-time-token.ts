import type { UserId } from '../contract/user-id.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { asciiJson } from '../extend/stored-proof.js';
import { isTextId } from '../users/text-id.js';
import type { AuthOneTime } from './auth-one-time.entity.js';

const MAX_DATA_BYTES = 2048;
const MAX_SUBJECT = 255;
/** The last time that a `Date` can hold. */
const MAX_TIME = 8.64e15;
/** Without capitals and spaces: some databases ignore both in comparisons. */
const PURPOSE = /^[a-z0-9][a-z0-9-]{0,31}$/;

export interface NewOneTimeToken {
  /**
   * What the token allows: 1 to 32 lower-case letters, digits and hyphens. No other purpose accepts it.
   */
  readonly purpose: string;
  /** The token ends when the security stamp of this user changes. */
  readonly userId?: UserId;
  /**
   * The stamp on which the token depends, if it was read before, for example when a request was let in. Default: the
   * stamp that the user has now.
   */
  readonly stamp?: string;
  /** What the token is about besides a user, for example an address. At most 255 characters. */
  readonly subject?: string;
  /** Stored as JSON of at most 2 KB. */
  readonly data?: object;
  readonly ttlSeconds: number;
  /** Cancels the other tokens of this purpose, of the same user, or without a user about the same subject. */
  readonly replaces?: boolean;
}

export interface IssuedToken {
  /** `kato_...`: goes to its user, and into no log. */
  readonly token: string;
  /** Names the token in lists. It allows nothing. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** A live token, as the table has it. */
export interface OneTimeToken {
  readonly id: string;
  readonly userId: UserId | undefined;
  readonly subject: string | undefined;
  readonly data: unknown;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The user of a token, and the stamp that the change which the token allows is based on. */
export interface PeekedToken extends OneTimeToken {
  readonly purpose: string;
  /** The user's security stamp. An empty text for a token without a user. */
  readonly stamp: string;
}

/** Which tokens to cancel: those that match all members. At least one is required. */
export type CancelledTokens = Partial<Record<'id' | 'purpose' | 'subject', string>> & { userId?: UserId };

/** @throws IllegalStateException */
export function requirePurpose(purpose: string): void {
  if (!PURPOSE.test(purpose)) {
    throw new IllegalStateException(
      'The purpose of a one-time token must be 1 to 32 lower-case letters, digits and hyphens.',
    );
  }
}

/**
 * The columns that the author of a token decides on.
 *
 * @throws IllegalStateException for what the table cannot keep
 */
export function columnsOf(
  { purpose, userId, subject, data, ttlSeconds, replaces = false }: NewOneTimeToken,
  now: number,
): Omit<AuthOneTime, 'id' | 'stamp'> {
  requirePurpose(purpose);
  const json = data === undefined ? undefined : JSON.stringify(data);
  const expiresAt = now + ttlSeconds * 1000;
  const problem =
    (json !== undefined && Buffer.byteLength(json) > MAX_DATA_BYTES
      ? `has data of more than ${MAX_DATA_BYTES} bytes`
      : undefined) ??
    (subject !== undefined && subject.length > MAX_SUBJECT
      ? `has a subject of more than ${MAX_SUBJECT} characters`
      : undefined) ??
    (Number.isSafeInteger(ttlSeconds) && ttlSeconds > 0 && expiresAt <= MAX_TIME
      ? undefined
      : 'has no ttlSeconds that is a whole number above 0') ??
    (replaces && userId === undefined && subject === undefined
      ? 'replaces others, and has neither a user nor a subject'
      : undefined);
  if (problem !== undefined) {
    throw new IllegalStateException(`A one-time token for ${purpose} ${problem}.`);
  }
  return {
    ...{ purpose, userId: userId === undefined ? null : String(userId), subject: subject ?? null },
    ...{ data: json === undefined ? null : asciiJson(json), attempts: 0, createdAt: now, expiresAt },
  };
}

/**
 * Reads a row.
 *
 * @param idFrom makes the id of a user of its text
 * @returns undefined for a row that this package has not written
 */
export function tokenOf(row: AuthOneTime, idFrom: (text: string) => UserId): OneTimeToken | undefined {
  const { id, attempts, createdAt, expiresAt } = row;
  const userId = row.userId === null ? undefined : idFrom(row.userId);
  const data = dataOf(row.data);
  const isValid =
    data !== null &&
    (userId === undefined) === (row.stamp === null) &&
    (userId === undefined || (isUserId(userId) && String(userId) === row.userId)) &&
    [attempts, createdAt, expiresAt].every((it) => Number.isSafeInteger(it) && it >= 0 && it <= MAX_TIME);
  return isValid
    ? {
        ...{ id, userId, subject: row.subject ?? undefined, data },
        ...{ createdAt: new Date(createdAt), expiresAt: new Date(expiresAt) },
      }
    : undefined;
}

function isUserId(id: unknown): boolean {
  return typeof id === 'string' ? isTextId(id) : Number.isSafeInteger(id) && (id as number) > 0;
}

/** @returns null for a text that is no JSON of an object */
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
