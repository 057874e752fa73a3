import type { LoginUser } from '../contract/login-user.js';
import { kindOf } from '../errors/describe.js';
import { isTextId } from './login-owner.js';

type Form = readonly [name: keyof LoginUser, fits: (value: unknown) => boolean, wanted: string];

const LOGIN_USER: readonly Form[] = [
  ['username', isText, 'a text'],
  ['nickname', isText, 'a text'],
  ['superAdmin', (value) => typeof value === 'boolean', 'true or false'],
  ['roles', isListOfTexts, 'a list of texts'],
  ['permissions', isListOfTexts, 'a list of texts'],
];

/**
 * Names the first field of a wrong type: columns may be null, or not loaded, where their types say otherwise.
 *
 * @returns undefined for a complete user
 */
export function formProblem(user: LoginUser): string | undefined {
  const wrong = LOGIN_USER.find(([name, fits]) => !fits(user[name]));
  return wrong && `whose ${wrong[0]} is ${kindOf(user[wrong[0]])}, not ${wrong[2]}`;
}

/** @returns undefined for an account of which it is known whether it is enabled */
export function accountProblem({ enabled }: Readonly<Record<'enabled', unknown>>): string | undefined {
  return typeof enabled === 'boolean'
    ? undefined
    : `whose enabled is ${kindOf(enabled)}, not true or false. Compare the value of the database, for example ` +
        'row.active === 1';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isListOfTexts(value: unknown): boolean {
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
        : "idType is 'number'. If the ids are texts, add readonly idType = 'string' to the store.";
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
