import { describeError } from 'kit-auth/extend';
import type { IssuerSettings } from '../config/issuers.js';
import { KeySet } from '../jwks/key-set.js';
import type { IssuerConnections } from './issuer.connections.js';

/** A key set, and how long it may be used without asking again. */
export interface FetchedKeys {
  readonly set: KeySet;
  readonly freshMs: number;
}

/** The issuer has answered, but publishes no key for its algorithms. */
export class NoKeysError extends Error {}

/**
 * Fetches the keys of an issuer once. Rejects with `NoKeysError` when there are none for its algorithms.
 *
 * @param before the set that this one replaces
 */
export async function fetchKeys(
  connections: IssuerConnections,
  issuer: IssuerSettings,
  signal: AbortSignal,
  before?: KeySet,
): Promise<FetchedKeys> {
  const { jwks, freshMs } = await connections.keysOf(issuer, signal);
  const set = new KeySet(jwks, issuer.algorithms, before);
  if (set.size === 0) {
    throw new NoKeysError(`none of its keys verifies ${issuer.algorithms.join(', ')}`);
  }
  return { set, freshMs };
}

/** Why a fetch failed. The error of `fetch` says nothing itself. */
export function reasonOf(error: unknown): string {
  return describeError((error as { cause?: unknown } | undefined)?.cause ?? error);
}
