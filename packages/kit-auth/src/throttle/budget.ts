import type { LoginLimiter } from '../contract/login-limiter.js';

/** How an attempt fared at a gate. */
export interface Passage {
  /** Which attempt it is; 0 where it was not counted. */
  readonly count: number;
  /** 0 where the attempt may pass, else how long the gate stays closed. */
  readonly waitMs: number;
  /** For how long the attempt closed the gate behind itself. */
  readonly closedSeconds: number;
}

/**
 * Counts the attempts of a key. So many are free. Every further one closes a gate behind itself, for a time that
 * doubles from one second. The gate is a counter of its own that lives as long as the wait: of several attempts at the
 * same moment, the first to count on it passes.
 */
export class Budget {
  constructor(
    private readonly failures: LoginLimiter,
    private readonly gates: LoginLimiter,
    private readonly free: number,
    private readonly maxWaitSeconds: number,
  ) {}

  /** How long the gate of a key is still closed; 0 when it is open. */
  async waitMs(key: string): Promise<number> {
    return Math.max(0, (await this.gates.get(key))?.msBeforeNext ?? 0);
  }

  /** Counts an attempt. @returns which one it is */
  async count(key: string): Promise<number> {
    return (await this.failures.penalty(key)).consumedPoints;
  }

  /** Takes an attempt that was counted through the gate. */
  async pass(key: string, count: number): Promise<Passage> {
    const beyond = count - this.free;
    if (beyond < 0) {
      return { count, waitMs: 0, closedSeconds: 0 };
    }
    const seconds = Math.min(2 ** beyond, this.maxWaitSeconds);
    const gate = await this.gates.penalty(key, 1, { customDuration: seconds });
    return gate.consumedPoints > 1
      ? { count, waitMs: Math.max(1, gate.msBeforeNext), closedSeconds: 0 }
      : { count, waitMs: 0, closedSeconds: seconds };
  }

  /** Counts an attempt and takes it through the gate. At a closed gate it is not counted. */
  async enter(key: string): Promise<Passage> {
    const waitMs = await this.waitMs(key);
    return waitMs > 0 ? { count: 0, waitMs, closedSeconds: 0 } : this.pass(key, await this.count(key));
  }

  /** Takes attempts back. Opens the gate when the rest is free. */
  async giveBack(key: string, attempts: number): Promise<void> {
    if (attempts === 0) {
      return;
    }
    const { consumedPoints } = await this.failures.reward(key, attempts);
    if (consumedPoints < this.free) {
      await this.open(key);
    }
  }

  async open(key: string): Promise<void> {
    await this.gates.delete(key);
  }

  /** Closes the gate of a key for so many seconds, unless it is closed for longer. */
  async close(key: string, seconds: number): Promise<void> {
    if ((await this.waitMs(key)) < seconds * 1000) {
      await this.gates.set(key, 1, seconds);
    }
  }

  async forget(key: string): Promise<void> {
    await Promise.all([this.failures.delete(key), this.gates.delete(key)]);
  }
}
