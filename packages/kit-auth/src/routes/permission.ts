import type { LoginUser } from '../contract/login-user.js';

/** Segments of letters, digits, `.`, `_` and `-`, or `*`, joined by colons: `note:read`, `note:*`, `*`. */
const PERMISSION = /^(?:[\w.-]+|\*)(?::(?:[\w.-]+|\*))*$/;
const MAX_PERMISSION_LENGTH = 128;

export function isPermission(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_PERMISSION_LENGTH && PERMISSION.test(value);
}

/**
 * Whether a user may do what a permission such as `note:read` stands for. A super administrator may do
 * everything. In what a user has been granted, `*` stands for one segment, and at the end for all that follow.
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
