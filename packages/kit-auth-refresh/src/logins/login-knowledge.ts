import type { LoginProof, SessionEndReason, UserId } from 'kit-auth';
import { BoundedMap } from 'kit-auth/extend';

const MAX_LOGINS = 50_000;
/** Longer than the transaction of a change can last. */
const DOUBT_MS = 10_000;

/** What was found out about a live login. Times are milliseconds since 1970. */
export interface KnownLogin {
  readonly userId: UserId;
  readonly expiresAt: number;
  /** The security stamp of the user. Undefined when the user store has none, or when the login was opened just now. */
  readonly stamp: string | undefined;
  /** When the question was asked. */
  readonly knownAt: number;
  /** The proof of an access token that was issued for the stamp. The provider resolves that token to the same object. */
  checked?: LoginProof;
}

/** What this process knows about logins, so that not every request asks the database. Bounded: the oldest makes room. */
export class LoginKnowledge {
  /** Oldest first. */
  private readonly live = new BoundedMap<string, KnownLogin>(MAX_LOGINS);
  /** A login that has ended stays so, whatever was found out before. */
  private readonly ended = new BoundedMap<string, SessionEndReason>(MAX_LOGINS);
  /** Logins that a transaction has ended which may be rolled back, and when. */
  private readonly doubts = new BoundedMap<string, number>(MAX_LOGINS);
  private readonly maxAgeMs: number;

  /** @param checkSeconds `kit.auth.refresh.checkSeconds` */
  constructor(checkSeconds: number | false) {
    this.maxAgeMs = checkSeconds === false ? Infinity : checkSeconds * 1000;
  }

  endOf(id: string): SessionEndReason | undefined {
    return this.ended.get(id);
  }

  isInDoubt(id: string): boolean {
    return this.doubts.has(id);
  }

  /** @returns undefined when nothing is known, or the question was asked too long ago */
  get(id: string, now: number): KnownLogin | undefined {
    const known = this.live.get(id);
    return known !== undefined && now - known.knownAt < this.maxAgeMs && now >= known.knownAt
      ? known
      : undefined;
  }

  /** Call it before a question is asked: its answer settles a doubt whose transaction is over by now. */
  beginQuestion(id: string): void {
    const since = this.doubts.get(id);
    if (since !== undefined && performance.now() - since > DOUBT_MS) {
      this.doubts.delete(id);
    }
  }

  noteLive(id: string, login: KnownLogin): void {
    if (!this.ended.has(id) && !this.doubts.has(id)) {
      this.live.set(id, login);
    }
  }

  noteEnd(id: string, by: SessionEndReason): void {
    this.live.delete(id);
    this.doubts.delete(id);
    this.ended.set(id, this.ended.get(id) ?? by);
  }

  /** Notes an end that a look-up has found. In doubt it may be rolled back: SQLite has one connection for all. */
  noteFoundEnd(id: string, by: SessionEndReason): void {
    if (!this.doubts.has(id)) {
      this.noteEnd(id, by);
    }
  }

  /** Notes that a transaction has ended a login. Until it is over for certain, every check asks the database. */
  noteDoubt(id: string): void {
    this.live.delete(id);
    this.doubts.set(id, performance.now());
  }
}
