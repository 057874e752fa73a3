// What this user may do in this application. It decides what is shown; the server decides what happens.
import { call } from './api.js';

/** The answer of `GET console`. */
export let access;

export async function loadAccess() {
  access = await call('GET', 'console');
}

/** Whether the application has an endpoint. @param {string} key such as `DELETE users/{id}` */
export const has = (key) => access.features.includes(key);

/** Whether the application has an endpoint that the user may call now. */
export const can = (key) => access.allowed.includes(key);

/** Whether the user may do anything about users: pages of users are also for those who may do one thing there. */
export const hasUserPages = () => ['users', 'sessions', 'keys'].some((it) => access.sections[it].length > 0);

export const isMe = (userId) => String(userId) === String(access.user.userId);

/** Permissions that only administrators have who have them already. */
export const isAdministrative = (permission) => /^(auth|\*)(:|$)/.test(permission);

/** Roles, and those that they include, by code. @param {object[]} roles all roles */
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

/** All permissions of roles, with those of the roles that they include. */
export const permissionsOf = (codes, roles) =>
  new Set([...withIncluded(codes, roles).values()].flatMap(({ permissions }) => permissions));

/** Whether one of the roles makes an administrator of its user. */
export const areAdministrative = (codes, roles) =>
  codes.includes(SUPER_ADMIN) || [...permissionsOf(codes, roles)].some(isAdministrative);

export const SUPER_ADMIN = 'SUPER_ADMIN';

/** In a permission that is held, `*` stands for one segment, and at the end for all that follow. */
function covers(held, wanted) {
  const [given, asked] = [held.split(':'), wanted.split(':')];
  return (
    given.every((it, i) => i < asked.length && (it === '*' || it === asked[i])) &&
    (given.length === asked.length || given.at(-1) === '*')
  );
}

/** Whether the user has all administrative permissions of these roles, and so may grant them and manage their users. */
export function reaches(codes, roles) {
  if (access.user.superAdmin) {
    return true;
  }
  const needed = [...permissionsOf(codes, roles)].filter(isAdministrative);
  return (
    !codes.includes(SUPER_ADMIN) && needed.every((it) => access.permissions.some((held) => covers(held, it)))
  );
}
