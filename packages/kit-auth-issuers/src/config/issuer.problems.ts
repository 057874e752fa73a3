import { urlProblem } from 'kit-auth/extend';
import { isSignatureAlgorithm, type SignatureAlgorithm } from 'kit-auth/jws';
import type { Issuer } from '../contract/issuer.options.js';
import { isJsonObject } from '../contract/json.js';
import { type Check, firstProblem, isText, isTexts, onlyKeys } from './checks.js';
import { KeySet } from '../jwks/key-set.js';
import { ALGORITHMS, nameOf } from './issuers.js';
import { userProblem } from './mapping.problems.js';

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
  'cacheSeconds',
];

type Given = Partial<Record<keyof Issuer, unknown>>;

/** Returns the rest of the error message about the option `issuers`. It repeats no values but names and issuers. */
export function issuersProblem(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return 'must be a list of issuers, such as { issuer, audience, user }';
  }
  const names = new Set<string>();
  const issuers = new Set<unknown>();
  for (const [i, entry] of (list as unknown[]).entries()) {
    const issuer: Given = isJsonObject(entry) ? entry : {};
    const problem = isJsonObject(entry) ? problemOf(issuer) : 'it must be an object';
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
        isText(issuer.audience) || isTexts(issuer.audience),
        'audience must be the "aud" of tokens for this application, or a list of them',
      ],
    ]) ??
    userProblem(issuer.user) ??
    firstProblem([...keyChecks(issuer), ...tokenChecks(issuer), ...optionalChecks(issuer)])
  );
}

function keyChecks({ jwks, algorithms = ALGORITHMS }: Given): Check[] {
  const url = typeof jwks === 'string' ? urlProblem(jwks) : undefined;
  const isSet = isJsonObject(jwks) && Array.isArray(jwks['keys']) && jwks['keys'].every(isJsonObject);
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
  return isTexts(value) && value.every(isSignatureAlgorithm);
}

function hasKey(jwks: unknown, algorithms: readonly SignatureAlgorithm[]): boolean {
  try {
    return new KeySet(jwks, algorithms).size > 0;
  } catch {
    return false;
  }
}

function tokenChecks({ typ, bound, maxAgeMinutes, clockSkewSeconds, claims }: Given): Check[] {
  const values = isJsonObject(claims) ? Object.values(claims) : [];
  return [
    [typ === undefined || typ === 'any' || typ === 'at+jwt', "typ must be 'any' or 'at+jwt'"],
    [bound === undefined || bound === 'refuse' || bound === 'ignore', "bound must be 'refuse' or 'ignore'"],
    whole('maxAgeMinutes', maxAgeMinutes, 1, A_YEAR_IN_MINUTES),
    whole('clockSkewSeconds', clockSkewSeconds, 0, 60),
    [
      claims === undefined ||
        (isJsonObject(claims) &&
          values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))),
      "claims must be an object with strings, numbers or booleans, such as { azp: 'web' }",
    ],
  ];
}

function optionalChecks({ name, fresh, cacheSeconds }: Given): Check[] {
  return [
    [
      name === undefined || (isText(name) && NAME.test(name)),
      'name must be 1 to 32 characters of a-z, 0-9 and "-"',
    ],
    [fresh === undefined || typeof fresh === 'boolean', 'fresh must be true or false'],
    whole('cacheSeconds', cacheSeconds, 0, 3600),
  ];
}

function whole(key: string, value: unknown, min: number, max: number): Check {
  const isRight = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  return [value === undefined || isRight, `${key} must be a whole number from ${min} to ${max}`];
}

/** Returns the rest of the error message about a URL that others are made from, or that is compared as a text. */
export function plainUrlProblem(value: unknown): string | undefined {
  return (
    urlProblem(value) ??
    (/[?#\s]/.test(value as string) ? 'must not have a query, or white space' : undefined)
  );
}
