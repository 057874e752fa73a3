import { BoundedMap } from '../tools/lookups.js';

const PAUSE_MS = 60_000;
const MAX_SESSIONS = 10_000;

/** The limits of a session that has ended others twice within a minute. Times are milliseconds since 1970. */
export interface Pause {
  /** When the session last ended others. It must not end newer sessions. */
  readonly since: number;
  readonly until: number;
}

/** Remembers which sessions have ended others recently, in this process. */
export class RecentEnds {
  /** The last two times of each session, in the order of the last time. */
  private readonly times = new BoundedMap<string, readonly [previous: number, last: number]>(MAX_SESSIONS);

  pauseOf(sessionId: string | undefined): Pause | undefined {
    const [previous, since] = (sessionId === undefined ? undefined : this.times.get(sessionId)) ?? [0, 0];
    const until = previous + PAUSE_MS;
    const now = Date.now();
    return now >= since && now < until ? { since, until } : undefined;
  }

  /** Runs a function that ends sessions, and remembers when it began, unless it fails. */
  async noting(sessionId: string | undefined, end: () => Promise<void>): Promise<void> {
    if (sessionId === undefined) {
      return end();
    }
    const before = this.times.get(sessionId);
    const noted = [before?.[1] ?? 0, Date.now()] as const;
    this.times.set(sessionId, noted);
    try {
      await end();
    } catch (error) {
      if (this.times.get(sessionId) === noted) {
        this.times.set(sessionId, before ?? [0, 0]);
      }
      throw error;
    }
  }
}
