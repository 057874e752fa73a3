import { isPermission } from 'kit-auth';
import { isAdminPermission, SUPER_ADMIN } from 'kit-auth/feature';
import { isObject, isSignatureAlgorithm, type SignatureAlgorithm, urlProblem } from 'kit-auth/tools';
import { KeySet } from './keys/key-set.js';
import { ALGORITHMS, type Issuer, nameOf } from './issuer.js';

const NAME = /^[a-z0-9-]{1,32}$/;
const A_YEAR_IN_MINUTES = 525_600;
const KEYS: readonly (keyof Issuer)[] = [
  'issuer',
  'audience',
  'user',
  'name',
  'jwks',
  'algorithms',
  'typ',
  'bound',
  'maxAgeMinutes',
  'clockSkewSeconds',
  'claims',
  'fresh',
  'mfa',
  'cacheSeconds',
];

type Given = Partial<Record<keyof Issuer, unknown>>;
/** Whether a part of an issuer is right, and the problem if it is not. */
type Check = readonly [isRight: boolean, problem: string];

/** Returns the rest of the error message about the option `issuers`. It repeats only names and issuers. */
export function issuersProblem(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return 'must be a list of issuers, such as { issuer, audience, user }';
  }
  const names = new Set<string>();
  const issuers = new Set<unknown>();
  for (const [i, entry] of (list as unknown[]).entries()) {
    const issuer: Given = isObject(entry) ? entry : {};
    const problem = isObject(entry) ? problemOf(issuer) : 'it must be an object';
    const where = `has an issuer at position ${i + 1}${problem?.startsWith('issuer ') === false ? ` (${String(issuer.issuer)})` : ''}`;
    if (problem !== undefined) {
      return `${where} that cannot be used: ${problem}`;
    }
    const name = nameOf(entry as Issuer);
    if (issuers.has(issuer.issuer)) {
      return `has the issuer ${String(issuer.issuer)} twice: remove one of them`;
    }
    if (names.has(name)) {
      return `has two issuers with the name ${name}: each needs its own`;
    }
    names.add(name);
    issuers.add(issuer.issuer);
  }
  return undefined;
}

function problemOf(issuer: Given): string | undefined {
  const url = plainUrlProblem(issuer.issuer);
  return (
    firstProblem([
      [url === undefined, `issuer ${url}`],
      onlyKeys(issuer, KEYS),
      [
        isName(issuer.audience) || areNames(issuer.audience),
        'audience must be the "aud" of tokens for this application, or a list of them',
      ],
    ]) ??
    userProblem(issuer.user) ??
    firstProblem([...keyChecks(issuer), ...tokenChecks(issuer), ...optionalChecks(issuer)])
  );
}

function keyChecks({ jwks, algorithms = ALGORITHMS }: Given): Check[] {
  const url = typeof jwks === 'string' ? urlProblem(jwks) : undefined;
  const isSet = isObject(jwks) && Array.isArray(jwks['keys']) && jwks['keys'].every(isObject);
  return [
    [url === undefined, `jwks ${url}`],
    [jwks === undefined || typeof jwks === 'string' || isSet, 'jwks must be a URL, or { keys: [...] }'],
    [
      areAlgorithms(algorithms),
      'algorithms must be a list of asymmetric algorithms, such as RS256, PS256, ES256 and EdDSA',
    ],
    [
      !isSet || !areAlgorithms(algorithms) || hasKey(jwks, algorithms),
      `jwks has no key for ${String(algorithms).replaceAll(',', ', ')}`,
    ],
  ];
}

function areAlgorithms(value: unknown): value is readonly SignatureAlgorithm[] {
  return areNames(value) && value.every(isSignatureAlgorithm);
}

function hasKey(jwks: unknown, algorithms: readonly SignatureAlgorithm[]): boolean {
  try {
    return new KeySet(jwks, algorithms).size > 0;
  } catch {
    return false;
  }
}

function tokenChecks({ typ, bound, maxAgeMinutes, clockSkewSeconds, claims }: Given): Check[] {
  const values = isObject(claims) ? Object.values(claims) : [];
  return [
    [typ === undefined || typ === 'any' || typ === 'at+jwt', "typ must be 'any' or 'at+jwt'"],
    [bound === undefined || bound === 'refuse' || bound === 'ignore', "bound must be 'refuse' or 'ignore'"],
    whole('maxAgeMinutes', maxAgeMinutes, 1, A_YEAR_IN_MINUTES),
    whole('clockSkewSeconds', clockSkewSeconds, 0, 60),
    [
      claims === undefined ||
        (isObject(claims) && values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))),
      "claims must be an object with strings, numbers or booleans, such as { azp: 'web' }",
    ],
  ];
}

function optionalChecks({ name, fresh, mfa, cacheSeconds }: Given): Check[] {
  return [
    [
      name === undefined || (isName(name) && NAME.test(name)),
      'name must be 1 to 32 characters of a-z, 0-9 and "-"',
    ],
    [fresh === undefined || typeof fresh === 'boolean', 'fresh must be true or false'],
    [
      mfa === undefined || areNames(mfa),
      'mfa must be a list of values of acr or amr that stand for a second factor',
    ],
    whole('cacheSeconds', cacheSeconds, 0, 3600),
  ];
}

function whole(key: string, value: unknown, min: number, max: number): Check {
  const isRight = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  return [value === undefined || isRight, `${key} must be a whole number from ${min} to ${max}`];
}

/** Returns the rest of the error message about a URL that is extended, or compared as a string. */
export function plainUrlProblem(value: unknown): string | undefined {
  return (
    urlProblem(value) ??
    (/[?#\s]/.test(value as string) ? 'must not have a query, or white space' : undefined)
  );
}

/** The problem of `user` of an issuer. Administrators are never made from claims. */
function userProblem(user: unknown): string | undefined {
  if (user === 'linked' || typeof user === 'function') {
    return undefined;
  }
  if (!isObject(user) || !isObject(user['claims'])) {
    return "user must be 'linked', { claims: { ... } } or a function";
  }
  const { claims } = user;
  const { username, nickname, roles, permissions } = claims;
  return firstProblem([
    onlyKeys(user, ['claims'], 'user.'),
    onlyKeys(claims, ['username', 'nickname', 'roles', 'permissions'], 'user.claims.'),
    [username === undefined || isName(username), 'user.claims.username must be the name of a claim'],
    [nickname === undefined || isName(nickname), 'user.claims.nickname must be the name of a claim'],
    ...(roles === undefined ? [] : rolesChecks(roles)),
    ...(permissions === undefined ? [] : permissionsChecks(permissions)),
  ]);
}

function rolesChecks(roles: unknown): Check[] {
  const given = isObject(roles) ? roles : {};
  const { fromClaim, map } = given;
  const codes = isObject(map) ? Object.values(map) : [];
  return [
    [isName(fromClaim), 'user.claims.roles.fromClaim must be the name of a claim'],
    [
      isObject(map) && (codes.length === 0 || areNames(codes)),
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
  const given = isObject(permissions) ? permissions : {};
  const { fromScope } = given;
  const lists = isObject(fromScope) ? Object.values(fromScope) : [];
  const granted = lists.flat();
  const administrative = granted.find((it) => typeof it === 'string' && isAdminPermission(it));
  return [
    [
      isObject(fromScope) && lists.every((list) => Array.isArray(list) && list.every(isPermission)),
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

/** Returns the first problem. */
function firstProblem(checks: readonly Check[]): string | undefined {
  return checks.find(([isRight]) => !isRight)?.[1];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function areNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isName);
}

/** Refuses misspelled keys: what they are meant to restrict would not be restricted. */
function onlyKeys(value: object, keys: readonly string[], where = ''): Check {
  const other = Object.keys(value).find((key) => !keys.includes(key));
  return [other === undefined, `${where}${other ?? ''} is not an option: it has ${keys.join(', ')}`];
}
