import { AsyncResource } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { AuthEvents, AuthEventType } from 'kit-auth';
import { unavailable } from 'kit-auth/feature';
import type { VerificationKey } from 'kit-auth/tools';
import type { IssuerSettings } from '../issuer.js';
import {
  type FetchedKeys,
  fetchKeys,
  type IssuerConnections,
  NoKeysError,
  reasonOf,
} from './issuer.connections.js';
import type { KeySet } from './key-set.js';

/** Maximum time of a fetch. */
const MAX_FETCH_MS = 5000;
/** Fetches time out before requests, so that waiting requests can use stale keys. */
const SHARE_OF_FETCHES = 0.9;
/** Pause between two attempts, unless the keys are no longer fresh. */
const PAUSE_MS = 30_000;
/** How long stale keys stay valid while the issuer is unreachable. */
const KEPT_MS = 24 * 60 * 60_000;
/** Fraction of the freshness lifetime after which keys are fetched in advance. */
const ADVANCE = 0.8;

/** Keys with the time of their fetch. */
interface KeySnapshot extends FetchedKeys {
  readonly at: number;
}

/**
 * The keys of an issuer. Only requests cause fetches, one at a time:
 *
 * ```
 * fresh, but not for long    use the keys, and fetch in the background
 * no longer fresh            wait for the fetch
 * the last fetch has failed  use stale keys for a day, and fetch in the background every 30 seconds
 * unknown `kid`              wait for a fetch, every 30 seconds
 * ```
 *
 * After the clock is set back, the keys count as old as the step.
 */
export class IssuerKeys {
  private readonly logger = new Logger('KitAuth');
  /** Fetches belong to no request. */
  private readonly scope = new AsyncResource('KitAuthIssuerKeys');
  private readonly closing = new AbortController();
  private fetched: KeySnapshot | undefined;
  private fetching: Promise<void> | undefined;
  private attemptedAt = -Infinity;
  /** The error of the last fetch. Undefined after a success. */
  private away: Error | undefined;
  private readonly timeoutMs: number;

  /** @param limitMs maximum time that a request waits for credentials */
  constructor(
    private readonly issuer: IssuerSettings,
    private readonly connections: IssuerConnections,
    private readonly events: AuthEvents,
    limitMs = MAX_FETCH_MS,
  ) {
    this.timeoutMs = Math.floor(Math.min(limitMs, MAX_FETCH_MS) * SHARE_OF_FETCHES);
  }

  /**
   * The keys as they are now. Returns no promise while they are fresh.
   *
   * @throws AuthException 50300 when the issuer is away, and its keys are unknown or too old
   */
  current(): KeySet | Promise<KeySet> {
    const now = Date.now();
    const { fetched } = this;
    const age = fetched === undefined ? Infinity : Math.abs(now - fetched.at);
    if (fetched !== undefined && age < fetched.freshMs) {
      if (age >= fetched.freshMs * ADVANCE && this.mayAttempt(now)) {
        void this.fetch();
      }
      return fetched.set;
    }
    if (this.away === undefined) {
      return this.fetch().then(() => this.kept());
    }
    const attempt = this.fetching ?? (this.mayAttempt(now) ? this.fetch() : undefined);
    return attempt !== undefined && age >= KEPT_MS ? attempt.then(() => this.kept()) : this.kept();
  }

  /**
   * The keys that may have signed a token. An unknown `kid` may name a new key.
   *
   * @param set of `current()`
   * @throws AuthException 50300 for an unknown `kid` while the issuer is away
   */
  candidates(
    set: KeySet,
    kid: string | undefined,
    alg: unknown,
  ): VerificationKey[] | Promise<VerificationKey[]> {
    if (kid === undefined || set.hasKid(kid)) {
      return set.candidates(kid, alg);
    }
    const attempt = this.fetching ?? (this.mayAttempt(Date.now()) ? this.fetch() : undefined);
    return attempt === undefined
      ? this.found(set, kid, alg)
      : attempt.then(() => this.found(this.kept(), kid, alg));
  }

  /** Fetches the keys. Never rejects. */
  fetch(): Promise<void> {
    this.fetching ??= this.scope
      .runInAsyncScope(() => this.attempt())
      .finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  /** Aborts a running fetch. */
  close(): void {
    this.closing.abort();
  }

  private found(set: KeySet, kid: string, alg: unknown): VerificationKey[] {
    if (this.away !== undefined && !set.hasKid(kid)) {
      throw unavailable(this.away);
    }
    return set.candidates(kid, alg);
  }

  /** The last keys, unless they are too old. */
  private kept(): KeySet {
    const { fetched } = this;
    if (fetched === undefined || Math.abs(Date.now() - fetched.at) >= Math.max(KEPT_MS, fetched.freshMs)) {
      throw unavailable(this.away);
    }
    return fetched.set;
  }

  private mayAttempt(now: number): boolean {
    return Math.abs(now - this.attemptedAt) >= PAUSE_MS;
  }

  private async attempt(): Promise<void> {
    this.attemptedAt = Date.now();
    const { issuer, closing } = this;
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(this.timeoutMs)]);
      const keys = await fetchKeys(this.connections, issuer, signal, this.fetched?.set);
      this.succeeded({ ...keys, at: Date.now() });
    } catch (error) {
      if (error instanceof NoKeysError) {
        // An issuer that removes its keys wants their tokens refused.
        this.fetched = undefined;
      }
      if (!closing.signal.aborted) {
        this.failed(error);
      }
    }
  }

  private succeeded(fetched: KeySnapshot): void {
    const { fetched: before, away } = this;
    this.fetched = fetched;
    this.away = undefined;
    if (away !== undefined) {
      this.logger.log(`[issuers] the keys of ${this.issuer.name} are available again`);
    }
    if (before !== undefined && !before.set.equals(fetched.set)) {
      this.note('issuer-keys-changed', true, this.issuer.name);
    }
  }

  private failed(error: unknown): void {
    if (this.away !== undefined) {
      return;
    }
    const why = `${this.issuer.name}: ${reasonOf(error)}`;
    this.away = new Error(`no keys from ${why}`);
    const known = this.fetched === undefined ? '' : '. Known keys are used for a day';
    this.logger.warn(`[issuers] no keys from ${why}${known}`);
    this.note('issuer-unavailable', false, why);
  }

  private note(type: AuthEventType, success: boolean, detail: string): void {
    this.events.begin().note({ type, success, detail, kept: false });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'issuer-unavailable': true;
    'issuer-keys-changed': true;
  }
}
