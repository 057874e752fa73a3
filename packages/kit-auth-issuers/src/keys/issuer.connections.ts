import { describeError } from 'kit-auth/extend';
import type { IssuerSettings } from '../issuer.js';
import { KeySet } from './key-set.js';

/** The keys of an issuer as they were published. */
export interface PublishedKeys {
  /** What it has sent, unchecked. */
  readonly jwks: unknown;
  /** How long it may be used without asking again. */
  readonly freshMs: number;
}

/** Where the keys of issuers come from. Tests replace it by a `FakeIssuer`. */
export abstract class IssuerConnections {
  /** Rejects when the issuer has no keys, or does not answer. */
  abstract keysOf(issuer: IssuerSettings, signal: AbortSignal): Promise<PublishedKeys>;
}

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
