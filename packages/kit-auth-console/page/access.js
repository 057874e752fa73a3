// The rights of this user in this application. The page shows what they allow; the server decides again.
import { call } from './api.js';

/** The answer of `GET console`. */
export let access;

export async function loadAccess() {
  access = await call('GET', 'console');
}

/** The application has an endpoint. @param {string} key for example `DELETE users/{id}` */
export const has = (key) => access.features.includes(key);

/** The application has an endpoint that the user may call now. */
export const can = (key) => access.allowed.includes(key);

/** One right about users is enough for their pages. */
export const hasUserPages = () => ['users', 'sessions', 'keys'].some((it) => access.sections[it].length > 0);

export const isMe = (userId) => String(userId) === String(access.user.userId);

/** Only administrators who have such a permission grant it. */
export const isAdministrative = (permission) => /^(auth|\*)(:|$)/.test(permission);

/** Roles and their included roles, by code. @param {object[]} roles all roles */
export function withIncluded(codes, roles) {
  const byCode = new Map(roles.map((role) => [role.code, role]));
  const found = new Map();
  const waiting = [...codes];
  while (waiting.length > 0) {
    const role = byCode.get(waiting.pop());
    if (role !== undefined && !found.has(role.code)) {
      found.set(role.code, role);
      waiting.push(...role.includes);
    }
  }
  return found;
}

/** All permissions of roles and their included roles. */
export const permissionsOf = (codes, roles) =>
  new Set([...withIncluded(codes, roles).values()].flatMap(({ permissions }) => permissions));

/** One of the roles makes an administrator of its user. */
export const areAdministrative = (codes, roles) =>
  codes.includes(SUPER_ADMIN) || [...permissionsOf(codes, roles)].some(isAdministrative);

export const SUPER_ADMIN = 'SUPER_ADMIN';

/** `*` of a held permission stands for one segment, and at the end for all that follow. */
function covers(held, wanted) {
  const [given, asked] = [held.split(':'), wanted.split(':')];
  return (
    given.every((it, i) => i < asked.length && (it === '*' || it === asked[i])) &&
    (given.length === asked.length || given.at(-1) === '*')
  );
}

/** The user has all administrative permissions of these roles, and so may grant them and manage their users. */
export function reaches(codes, roles) {
  if (access.user.superAdmin) {
    return true;
  }
  const needed = [...permissionsOf(codes, roles)].filter(isAdministrative);
  return (
    !codes.includes(SUPER_ADMIN) && needed.every((it) => access.permissions.some((held) => covers(held, it)))
  );
}
