import type { LoginUser } from '../contract/login-user.js';
import { kindOf } from '../errors/describe.js';
import { isTextId, STRING, STRINGS } from '../ports/port.js';
import { copyOfData, dataProblem } from '../ports/user-data.js';

type Form = readonly [name: keyof LoginUser, fits: (value: unknown) => boolean, wanted: string];

const LOGIN_USER: readonly Form[] = [
  ['username', STRING.fits, 'string'],
  ['nickname', STRING.fits, 'string'],
  ['superAdmin', (value) => typeof value === 'boolean', 'boolean'],
  ['roles', STRINGS.fits, 'string[]'],
  ['permissions', STRINGS.fits, 'string[]'],
];

/**
 * Names the first field of a wrong type: columns may be null, or not loaded, where their types say otherwise.
 *
 * @returns undefined for a complete user
 */
export function formProblem(user: LoginUser): string | undefined {
  const wrong = LOGIN_USER.find(([name, fits]) => !fits(user[name]));
  return wrong === undefined
    ? dataProblem(user.data)
    : `whose ${wrong[0]} is ${kindOf(user[wrong[0]])}, expected ${wrong[2]}`;
}

/** @returns undefined for an account with a valid `enabled` */
export function accountProblem({ enabled }: Readonly<Record<'enabled', unknown>>): string | undefined {
  return typeof enabled === 'boolean'
    ? undefined
    : `whose enabled is ${kindOf(enabled)}, not true or false. Compare the value of the database, for example ` +
        'row.active === 1';
}

/** Copies a user with its lists and data. Works for an instance of a class too, whose properties may be getters. */
export function copyOf(user: LoginUser): LoginUser {
  const { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword, data } = user;
  return {
    ...user,
    userId,
    username,
    nickname,
    superAdmin,
    roles: [...roles],
    permissions: [...permissions],
    ...(mustChangePassword !== undefined && { mustChangePassword }),
    ...(data !== undefined && { data: copyOfData(data) }),
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

/** The role of super administrators. */
export const SUPER_ADMIN = 'SUPER_ADMIN';

const ROLE_CODE = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Whether a string can be the code of a role: 1 to 64 letters, digits, ".", "_" or "-". */
export function isRoleCode(text: string): boolean {
  return ROLE_CODE.test(text);
}
