import type { LoginProof, SessionEndReason, UserId } from 'kit-auth';
import { BoundedMap } from 'kit-auth/tools';

const MAX_LOGINS = 50_000;
/** Longer than the transaction of a change can last. */
const UNCERTAIN_MS = 10_000;

/** The cached state of a live login. Times are milliseconds since 1970. */
export interface KnownLogin {
  readonly userId: UserId;
  readonly expiresAt: number;
  /** The security stamp of the user. Undefined without stamps in the user store, and for a login that was just opened. */
  readonly stamp: string | undefined;
  /** Start of the lookup. */
  readonly knownAt: number;
  /**
   * The proof of an access token that was issued for this stamp. A provider that caches the token returns the same object.
   */
  checked?: LoginProof;
}

/** Caches the state of logins in this process, so that most requests do not query the database. Evicts the oldest. */
export class LoginCache {
  /** Oldest first. */
  private readonly live = new BoundedMap<string, KnownLogin>(MAX_LOGINS);
  /** Ended logins stay ended, whatever an earlier lookup finds. */
  private readonly ended = new BoundedMap<string, SessionEndReason>(MAX_LOGINS);
  /** Logins ended by a transaction that may still be rolled back, with the time of that end. */
  private readonly uncertain = new BoundedMap<string, number>(MAX_LOGINS);
  private readonly maxAgeMs: number;

  /** @param checkSeconds `kit.auth.refresh.checkSeconds` */
  constructor(checkSeconds: number | false) {
    this.maxAgeMs = checkSeconds === false ? Infinity : checkSeconds * 1000;
  }

  endOf(id: string): SessionEndReason | undefined {
    return this.ended.get(id);
  }

  isUncertain(id: string): boolean {
    return this.uncertain.has(id);
  }

  /** @returns undefined when the login is not cached, or its lookup is too old */
  get(id: string, now: number): KnownLogin | undefined {
    const known = this.live.get(id);
    return known !== undefined && now - known.knownAt < this.maxAgeMs && now >= known.knownAt
      ? known
      : undefined;
  }

  /** Call this before a lookup: its result is certain again once the transaction is over. */
  beginLookup(id: string): void {
    const since = this.uncertain.get(id);
    if (since !== undefined && performance.now() - since > UNCERTAIN_MS) {
      this.uncertain.delete(id);
    }
  }

  noteLive(id: string, login: KnownLogin): void {
    if (!this.ended.has(id) && !this.uncertain.has(id)) {
      this.live.set(id, login);
    }
  }

  noteEnd(id: string, by: SessionEndReason): void {
    this.live.delete(id);
    this.uncertain.delete(id);
    this.ended.set(id, this.ended.get(id) ?? by);
  }

  /**
   * Records an end that a lookup has found. While the login is uncertain, the end may still be rolled back: SQLite has
   * one connection for all.
   */
  noteFoundEnd(id: string, by: SessionEndReason): void {
    if (!this.uncertain.has(id)) {
      this.noteEnd(id, by);
    }
  }

  /** Records that a transaction has ended a login. Until it is certainly over, every check queries the database. */
  markUncertain(id: string): void {
    this.live.delete(id);
    this.uncertain.set(id, performance.now());
  }
}
