/** For so long after it has ended others, a session spares those that began since. */
export const PAUSE_MS = 60_000;
const MAX_SESSIONS = 10_000;

/** Which sessions have ended others lately, and when, in this process. */
export class RecentEnds {
  /** In the order of the times. */
  private readonly times = new Map<string, number>();

  /** When a session last ended others, in milliseconds since 1970; undefined where that was over a minute ago. */
  of(sessionId: string | undefined): number | undefined {
    const time = sessionId === undefined ? undefined : this.times.get(sessionId);
    const age = time === undefined ? Infinity : Date.now() - time;
    return age >= 0 && age < PAUSE_MS ? time : undefined;
  }

  /** Runs what ends sessions. The time counts from its beginning, and only where it succeeds. */
  async noting(sessionId: string | undefined, end: () => Promise<void>): Promise<void> {
    if (sessionId === undefined) {
      return end();
    }
    const before = this.times.get(sessionId);
    const now = Date.now();
    this.put(sessionId, now);
    try {
      await end();
    } catch (error) {
      if (this.times.get(sessionId) === now) {
        this.times.delete(sessionId);
        if (before !== undefined) {
          this.put(sessionId, before);
        }
      }
      throw error;
    }
  }

  private put(sessionId: string, time: number): void {
    this.times.delete(sessionId);
    this.times.set(sessionId, time);
    if (this.times.size > MAX_SESSIONS) {
      const [oldest] = this.times.keys();
      this.times.delete(oldest as string);
    }
  }
}
