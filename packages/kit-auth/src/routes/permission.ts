import type { LoginUser } from '../contract/login-user.js';

/** Segments of letters, digits, `.`, `_` and `-`, or `*`, joined by colons: `note:read`, `note:*`, `*`. */
const PERMISSION = /^(?:[\w.-]+|\*)(?::(?:[\w.-]+|\*))*$/;
const MAX_PERMISSION_LENGTH = 128;

export function isPermission(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_PERMISSION_LENGTH && PERMISSION.test(value);
}

/**
 * Whether a user has a permission such as `note:read`. Super administrators have every permission. In a granted
 * permission, `*` matches one segment; at the end, it matches all further segments.
 *
 * @example
 * hasPermission(user, 'note:publish') // true for a user with `note:*`
 */
export function hasPermission(
  user: Pick<LoginUser, 'superAdmin' | 'permissions'>,
  permission: string,
): boolean {
  return user.superAdmin || user.permissions.some((granted) => covers(granted, permission));
}

function covers(granted: string, permission: string): boolean {
  if (!granted.includes('*')) {
    return granted === permission;
  }
  const segments = permission.split(':');
  const ofGranted = granted.split(':');
  const isCovered = ofGranted.every(
    (segment, i) => i < segments.length && (segment === '*' || segment === segments[i]),
  );
  return isCovered && (ofGranted.length === segments.length || ofGranted.at(-1) === '*');
}
