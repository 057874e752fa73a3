import { hash } from 'node:crypto';
import type { LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import { kindOf } from '../errors/describe.js';

type Form = readonly [name: keyof LoginUser, fits: (value: unknown) => boolean, wanted: string];

const LOGIN_USER: readonly Form[] = [
  ['username', isText, 'string'],
  ['nickname', isText, 'string'],
  ['superAdmin', (value) => typeof value === 'boolean', 'boolean'],
  ['roles', isStrings, 'string[]'],
  ['permissions', isStrings, 'string[]'],
];

/**
 * Names the first field of a wrong type: columns may be null, or not loaded, where their types say otherwise.
 *
 * @returns undefined for a complete user
 */
export function formProblem(user: LoginUser): string | undefined {
  const wrong = LOGIN_USER.find(([name, fits]) => !fits(user[name]));
  return wrong && `whose ${wrong[0]} is ${kindOf(user[wrong[0]])}, expected ${wrong[2]}`;
}

/** @returns undefined for an account of which it is known whether it is enabled */
export function accountProblem({ enabled }: Readonly<Record<'enabled', unknown>>): string | undefined {
  return typeof enabled === 'boolean'
    ? undefined
    : `whose enabled is ${kindOf(enabled)}, not true or false. Compare the value of the database, for example ` +
        'row.active === 1';
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** Copies a user with its lists. Works for an instance of a class too, whose properties may be getters. */
export function copyOf(user: LoginUser): LoginUser {
  const { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword } = user;
  return {
    ...user,
    userId,
    username,
    nickname,
    superAdmin,
    roles: [...roles],
    permissions: [...permissions],
    ...(mustChangePassword !== undefined && { mustChangePassword }),
  };
}

/** @returns undefined for an id that tokens and sessions can carry */
export function idProblem(id: unknown, idType: 'number' | 'string'): string | undefined {
  if (typeof id !== idType) {
    const cure =
      idType === 'string'
        ? "idType is 'string', so convert the id, for example with String(row.id)."
        : "idType is 'number'. If the ids are strings, add readonly idType = 'string' to the store.";
    return `whose id is of the type ${typeof id}: ${cure}`;
  }
  if (typeof id === 'string') {
    return isTextId(id)
      ? undefined
      : 'whose id is not 1 to 128 characters of printable ASCII without spaces.';
  }
  return Number.isSafeInteger(id) && (id as number) > 0
    ? undefined
    : 'whose id is not a whole number above 0.';
}

/** The maximum of an id column on every database. */
export const MAX_USER_ID = 2 ** 31 - 1;

const TEXT_ID = /^[!-~]{1,128}$/;

/** Longer than any number in base 36. */
const OWNER_LENGTH = 16;
const OWNER = /^(?:[1-9a-z][0-9a-z]{0,10}|[\w-]{16})$/;

/**
 * The first part of a session id: the number in base 36, or 96 bits of a hash of the string. It names the user in the
 * keys of a store, which may not take strings of any length and form.
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

/** The id of a user, from a store of strings. The id of the session tells whether it was a number. */
export function userIdFrom(sessionId: string, text: string): UserId {
  return (sessionId.indexOf('.') === OWNER_LENGTH ? text : Number(text)) as UserId;
}

/** Whether sessions can belong to a user with this id. Some databases fail on higher numbers, others find nothing. */
export function isUserId(id: UserId): boolean {
  return isText(id) ? isTextId(id) : Number.isInteger(id) && id >= 1 && id <= MAX_USER_ID;
}

/** Whether a string can be the id of a user: 1 to 128 characters of printable ASCII, without spaces. */
export function isTextId(text: string): boolean {
  return TEXT_ID.test(text);
}

/** In an application that declares it, `UserId` is `string`. */
export function isText(id: unknown): id is string {
  return typeof id === 'string';
}

/** The role of super administrators. */
export const SUPER_ADMIN = 'SUPER_ADMIN';
