import { hash, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import { hasChecksum, withChecksum } from 'kit-auth/tools';
import { isUserId, ownerOf } from 'kit-auth/login';

export const TOKEN_PREFIX = 'kats_';
/** The prefix, the owner of `ownerOf()`, 256 random bits in base64url, and a CRC-32 of all that in base 36. */
const FORM = /^(kats_([1-9a-z][0-9a-z]{0,10}|[\w-]{16})_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;
const NUMBER_FORM = /^[0-9a-z]{1,11}$/;

/** The reference to a session in a token. */
export interface TokenReference {
  /**
   * The owner and the SHA-256 of the token: it identifies the session but cannot authenticate. It begins with the owner
   * so that a clustered store can find the node.
   */
  id: string;
  /** Undefined for users with string ids, which only the session contains. */
  userId: UserId | undefined;
}

export function newToken(userId: UserId): { id: string; token: string } {
  const owner = ownerOf(userId);
  const token = withChecksum(`${TOKEN_PREFIX}${owner}_${randomBytes(32).toString('base64url')}`);
  return { token, id: idOf(owner, token) };
}

/** @returns undefined for malformed tokens */
export function readToken(token: string): TokenReference | undefined {
  const [, text, owner, check] = FORM.exec(token) ?? [];
  if (text === undefined || owner === undefined || !hasChecksum(text, check)) {
    return undefined;
  }
  const id = idOf(owner, token);
  if (!NUMBER_FORM.test(owner)) {
    return { id, userId: undefined };
  }
  const userId = Number.parseInt(owner, 36);
  return isUserId(userId) ? { id, userId } : undefined;
}

function idOf(owner: string, token: string): string {
  return `${owner}.${hash('sha256', token, 'base64url')}`;
}
