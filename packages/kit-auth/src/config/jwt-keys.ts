import type { JsonWebKey, KeyObject } from 'node:crypto';
import { isObject } from '../ports/port.js';
import { isFilledText, parseList } from './option.js';
import { insecureProblem } from './secure-url.js';

/** A key as PEM, as JWK (an object or its JSON), or as an object of `node:crypto`. */
type KeyMaterial = string | JsonWebKey | KeyObject;

/** A key of `kit.auth.jwt.keys`. */
export interface JwtKey {
  /**
   * Its name in tokens, 1 to 64 letters, digits, `_`, `.` or `-`. Required with HS256. Default: the thumbprint of the
   * public key (RFC 7638).
   */
  kid?: string | undefined;
  /** The algorithm. RS256 needs at least 2,048 bits, HS256 at least 32 bytes. */
  alg: 'EdDSA' | 'ES256' | 'RS256' | 'HS256';
  /**
   * A private key, as PEM, JWK or `KeyObject`, or a signer. A public key alone verifies tokens. With HS256, the secret: its
   * text, a JWK of the type `oct`, or a secret `KeyObject`.
   */
  key: KeyMaterial | JwtSigner;
  /** Whether it is published and accepted, but does not sign yet. */
  next?: boolean | undefined;
  /** Its end, such as `2026-12-01T00:00:00Z`. From then on, it neither signs, nor is it published or accepted. */
  until?: string | undefined;
}

/**
 * A private key that does not leave its place, such as a key management service.
 *
 * @example
 * const signer: JwtSigner = {
 *   publicKey: process.env.JWT_PUBLIC_KEY,
 *   sign: (data) => keyManagement.sign(data),
 * };
 */
export interface JwtSigner {
  publicKey: KeyMaterial;
  /**
   * Signs the data, not a digest of it. A signature of ES256 may be DER or the fixed form of 64 bytes. What is wrong, late (nine
   * tenths of `kit.auth.extensionTimeoutMs`) or an error fails the login with 50300.
   */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const ALGORITHMS: readonly unknown[] = ['EdDSA', 'ES256', 'RS256', 'HS256'] satisfies JwtKey['alg'][];
const MEMBERS: readonly string[] = ['kid', 'alg', 'key', 'next', 'until'] satisfies (keyof JwtKey)[];
const KID = /^[\w.-]{1,64}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Checks the form of the keys. Only a package that uses them can tell whether they fit their algorithms. */
export function jwtKeysProblem(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return 'must be a list of keys, and is a text that is no JSON';
  }
  if (!Array.isArray(value) || value.length === 0) {
    return 'must be a list of keys that is not empty: [{ kid, alg, key }]';
  }
  for (const [index, key] of value.entries()) {
    const problem = keyProblem(key);
    if (problem !== undefined) {
      const { kid } = (key ?? {}) as Partial<JwtKey>;
      return `must have valid keys: ${isKid(kid) ? kid : `number ${index + 1}`} ${problem}`;
    }
  }
  return undefined;
}

function keyProblem(value: unknown): string | undefined {
  if (!isObject(value)) {
    return 'is not an object such as { kid, alg, key }';
  }
  const { kid, alg, key, next, until } = value;
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return `has the member ${JSON.stringify(unknown)}, which is none of ${MEMBERS.join(', ')}`;
  }
  if (!ALGORITHMS.includes(alg)) {
    return `must have one of these as alg: ${ALGORITHMS.join(', ')}`;
  }
  if (kid === undefined ? alg === 'HS256' : !isKid(kid)) {
    return 'must have a kid of 1 to 64 letters, digits, "_", "." or "-"';
  }
  if (!isFilledText(key) && (typeof key !== 'object' || key === null)) {
    return 'must have a key: PEM, a JWK, a KeyObject or a signer';
  }
  if (next !== undefined && typeof next !== 'boolean') {
    return 'must have the boolean true or false as next';
  }
  const problem = until === undefined ? undefined : timeProblem(until);
  return problem && `has an until that ${problem}`;
}

function isKid(value: unknown): value is string {
  return typeof value === 'string' && KID.test(value);
}

export function timeProblem(value: unknown): string | undefined {
  const [, day] = (typeof value === 'string' && TIME.exec(value)) || [];
  // Parsers read the 30th of February as a day of March.
  return day !== undefined && !Number.isNaN(Date.parse(value as string)) && isDay(day)
    ? undefined
    : 'must be a time with its zone, such as 2026-12-01T00:00:00Z';
}

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Checks the name of an issuer. One with a colon has to be a URI (RFC 7519 section 2). */
export function issuerProblem(value: string): string | undefined {
  if (!value.includes(':')) {
    return /^[!-~]{1,255}$/.test(value) ? undefined : 'must be an https URL, or a name of printable ASCII';
  }
  return URL.canParse(value)
    ? insecureProblem(new URL(value))
    : 'must be an https URL, or a name without a colon';
}

export function audienceProblem(value: unknown): string | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.length > 0 && texts.every(isFilledText)
    ? undefined
    : 'must be a non-blank string, or a list of such strings that is not empty';
}

/** Checks the names of fields of `LoginUser.data`. A name that every object has would be found where there is no field. */
export function dataNamesProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) {
    return "must be a list of names of fields, such as ['tenant']";
  }
  const names = value as readonly unknown[];
  const wrong = names.findIndex((name) => !isFilledText(name) || name in Object.prototype);
  if (wrong !== -1) {
    return `must be a list of names of fields: number ${wrong + 1} is none`;
  }
  return new Set(names).size === names.length ? undefined : 'must not name a field twice';
}

export function jwksProblem(value: unknown): string | undefined {
  const isOptions = (given: object) =>
    !Array.isArray(given) &&
    Object.entries(given).every(([name, on]) => name === 'wellKnown' && typeof on === 'boolean');
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && isOptions(value))
    ? undefined
    : 'must be the boolean true or false, or { wellKnown: true }';
}

/** Parses JSON in the environment. Anything else stays as it is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Parses one string, or several between commas. */
export function parseTexts(text: string): string | string[] {
  return text.includes(',') ? parseList(text) : text;
}
