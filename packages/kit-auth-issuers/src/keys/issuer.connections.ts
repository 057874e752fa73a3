import { describeError } from 'kit-auth/tools';
import type { IssuerSettings } from '../issuer.js';
import { KeySet } from './key-set.js';

/** The keys of an issuer as they were published. */
export interface PublishedKeys {
  /** Not checked yet. */
  readonly jwks: unknown;
  /** Freshness lifetime in milliseconds. */
  readonly freshMs: number;
}

/** Fetches the keys of issuers. Tests replace it with a `FakeIssuer`. */
export abstract class IssuerConnections {
  /** Rejects when the issuer has no keys, or does not answer. */
  abstract keysOf(issuer: IssuerSettings, signal: AbortSignal): Promise<PublishedKeys>;
}

/** A key set with its freshness lifetime. */
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

/** The reason of a failed fetch. Errors of `fetch` have it as their cause. */
export function reasonOf(error: unknown): string {
  return describeError((error as { cause?: unknown } | undefined)?.cause ?? error);
}
