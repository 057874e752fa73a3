import { hash } from 'node:crypto';
import type { UserId } from '../contract/user-id.js';

/** The maximum of an id column on every database. */
export const MAX_USER_ID = 2 ** 31 - 1;

const TEXT_ID = /^[!-~]{1,128}$/;

/** No text that is a number in base 36 is this long. */
const OWNER_LENGTH = 16;
const OWNER = /^(?:[1-9a-z][0-9a-z]{0,10}|[\w-]{16})$/;

/**
 * The first part of a session id: the number in base 36, or 96 bits of a hash of the text. It names the user in the
 * keys of a store, where a text of any length and form could not stand.
 */
export function ownerOf(userId: UserId): string {
  return isText(userId) ? hash('sha256', userId, 'base64url').slice(0, OWNER_LENGTH) : userId.toString(36);
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

/** The id of a user that a store keeps as text. The id of the session tells whether it was a number. */
export function userIdFrom(sessionId: string, text: string): UserId {
  return (sessionId.indexOf('.') === OWNER_LENGTH ? text : Number(text)) as UserId;
}

/** Whether sessions can belong to a user with this id. Some databases fail on higher numbers, others find nothing. */
export function isUserId(id: UserId): boolean {
  return isText(id) ? isTextId(id) : Number.isInteger(id) && id >= 1 && id <= MAX_USER_ID;
}

/** Whether a text can be the id of a user: 1 to 128 characters of printable ASCII, without spaces. */
export function isTextId(text: string): boolean {
  return TEXT_ID.test(text);
}

/** In an application that declares it, `UserId` is `string`. */
export function isText(id: unknown): id is string {
  return typeof id === 'string';
}
