import type { IssuerSettings } from '../config/issuers.js';

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
