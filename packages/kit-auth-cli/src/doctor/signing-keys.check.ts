import { type JsonWebKey, KeyObject } from 'node:crypto';
import type { JwtKey } from 'kit-auth';
import { keyFrom } from 'kit-auth/tools';
import { type Finding, problem, warning } from './diagnosis.js';
import { guessableBecause } from './secret.check.js';

const KEY = 'kit.auth.jwt.keys';
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
/** The name that `npx kit-auth jwt-key` gives a key. The day is optional. */
const DATE = /^(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?!\d)/;

/**
 * Looks for keys that have ended, a signing key that is older than a year, and secrets that are easy to guess. Start-up
 * reports keys that cannot be used, and a `kit.auth.jwt.legacyUntil` that has passed.
 */
export function checkSigningKeys(keys: readonly JwtKey[]): Finding[] {
  const now = Date.now();
  const hasEnded = ({ until }: JwtKey) => until !== undefined && Date.parse(until) <= now;
  const signer = keys.find((key) => key.next !== true && !hasEnded(key) && canSign(key));
  return [
    ...keys
      .filter(hasEnded)
      .map((key) =>
        warning(`The key ${nameOf(key)} of ${KEY} has ended: ${key.until}.`, 'Remove it from the list.'),
      ),
    ...(signer?.kid !== undefined && isOld(signer.kid, now)
      ? [
          warning(
            `The key ${signer.kid} of ${KEY} has signed for more than a year, as its name says.`,
            'Replace it with what "npx kit-auth jwt-key" prints, in the three steps that it names.',
          ),
        ]
      : []),
    ...keys.flatMap(guessable),
  ];
}

function canSign({ alg, key }: JwtKey): boolean {
  if (alg === 'HS256' || isSigner(key)) {
    return true;
  }
  try {
    return keyFrom(key).type === 'private';
  } catch {
    return false;
  }
}

function isSigner(key: JwtKey['key']): key is Extract<JwtKey['key'], { sign: unknown }> {
  return typeof key === 'object' && 'sign' in key;
}

/** Without a day, the end of the month counts. */
function isOld(kid: string, now: number): boolean {
  const [, year, month, day] = DATE.exec(kid) ?? [];
  const made = day === undefined ? Date.UTC(Number(year), Number(month), 0) : Date.parse(kid.slice(0, 10));
  return now - made > YEAR_MS;
}

function guessable(key: JwtKey): Finding[] {
  const reason = key.alg === 'HS256' ? guessableBecause(secretOf(key.key)) : undefined;
  return reason === undefined
    ? []
    : [
        problem(
          `The key ${nameOf(key)} of ${KEY} is easy to guess: it ${reason}.`,
          'Replace it with what "npx kit-auth secret" prints.',
        ),
      ];
}

/** The secret of an HS256 key: a string, a JWK or a `KeyObject`. */
function secretOf(key: JwtKey['key']): string {
  if (key instanceof KeyObject) {
    return key.type === 'secret' ? key.export().toString('latin1') : '';
  }
  const { k } = (typeof key === 'string' ? objectIn(key) : key) as JsonWebKey;
  if (typeof k === 'string') {
    return Buffer.from(k, 'base64url').toString('latin1');
  }
  return typeof key === 'string' ? key : '';
}

/** Parses JSON. Errors are swallowed, because their messages may quote the secret. */
function objectIn(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

function nameOf({ kid }: JwtKey): string {
  return kid ?? 'without a kid';
}
