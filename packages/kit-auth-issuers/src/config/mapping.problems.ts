import { isPermission } from 'kit-auth';
import { isAdminPermission, SUPER_ADMIN } from 'kit-auth/extend';
import { isJsonObject } from '../contract/json.js';
import { type Check, firstProblem, isText, isTexts, onlyKeys } from './checks.js';

/** What is wrong with `user` of an issuer. Administrators are never made from claims. */
export function userProblem(user: unknown): string | undefined {
  if (user === 'linked' || typeof user === 'function') {
    return undefined;
  }
  if (!isJsonObject(user) || !isJsonObject(user['claims'])) {
    return "user must be 'linked', { claims: { ... } } or a function";
  }
  const { claims } = user;
  const { username, nickname, roles, permissions } = claims;
  return firstProblem([
    onlyKeys(user, ['claims'], 'user.'),
    onlyKeys(claims, ['username', 'nickname', 'roles', 'permissions'], 'user.claims.'),
    [username === undefined || isText(username), 'user.claims.username must be the name of a claim'],
    [nickname === undefined || isText(nickname), 'user.claims.nickname must be the name of a claim'],
    ...(roles === undefined ? [] : rolesChecks(roles)),
    ...(permissions === undefined ? [] : permissionsChecks(permissions)),
  ]);
}

function rolesChecks(roles: unknown): Check[] {
  const given = isJsonObject(roles) ? roles : {};
  const { fromClaim, map } = given;
  const codes = isJsonObject(map) ? Object.values(map) : [];
  return [
    [isText(fromClaim), 'user.claims.roles.fromClaim must be the name of a claim'],
    [
      isJsonObject(map) && (codes.length === 0 || isTexts(codes)),
      "user.claims.roles.map must have your role codes by roles of the issuer, such as { 'app-editor': 'editor' }",
    ],
    onlyKeys(given, ['fromClaim', 'map'], 'user.claims.roles.'),
    [
      !codes.includes(SUPER_ADMIN),
      `user.claims.roles.map must not name ${SUPER_ADMIN}: administrators are not made from claims. Use user: 'linked'`,
    ],
  ];
}

function permissionsChecks(permissions: unknown): Check[] {
  const given = isJsonObject(permissions) ? permissions : {};
  const { fromScope } = given;
  const lists = isJsonObject(fromScope) ? Object.values(fromScope) : [];
  const granted = lists.flat();
  const administrative = granted.find((it) => typeof it === 'string' && isAdminPermission(it));
  return [
    [
      isJsonObject(fromScope) && lists.every((list) => Array.isArray(list) && list.every(isPermission)),
      "user.claims.permissions.fromScope must have lists of permissions by scopes, such as { 'notes.read': ['note:read'] }",
    ],
    onlyKeys(given, ['fromScope'], 'user.claims.permissions.'),
    [
      administrative === undefined,
      `user.claims.permissions.fromScope must not grant ${String(administrative)}: administrators are not made from claims. ` +
        "Use user: 'linked'",
    ],
  ];
}
