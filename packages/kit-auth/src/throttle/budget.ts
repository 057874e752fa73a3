import type { LoginLimiter } from '../contract/login-limiter.js';

/** The result of an attempt at a gate. */
export interface GateResult {
  /** The number of the attempt; 0 when it was not counted. */
  readonly count: number;
  /** 0 when the attempt may pass, otherwise how long the gate stays closed. */
  readonly waitMs: number;
  /** How long the attempt has closed the gate for the next ones. */
  readonly closedSeconds: number;
}

/**
 * Counts the attempts of a key. The first ones are free. Each further attempt closes a gate for the next ones, for a
 * time that starts at one second and doubles. The gate is a counter that lives as long as the wait: of several parallel
 * attempts, the first one to increase it passes.
 */
export class Budget {
  constructor(
    private readonly failures: LoginLimiter,
    private readonly gates: LoginLimiter,
    private readonly free: number,
    private readonly maxWaitSeconds: number,
  ) {}

  /** How long the gate of a key stays closed; 0 when it is open. */
  async waitMs(key: string): Promise<number> {
    return Math.max(0, (await this.gates.get(key))?.msBeforeNext ?? 0);
  }

  /** Counts an attempt. @returns its number */
  async count(key: string): Promise<number> {
    return (await this.failures.penalty(key)).consumedPoints;
  }

  /** Checks the gate for an attempt that was counted. */
  async pass(key: string, count: number): Promise<GateResult> {
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

  /** Counts an attempt and checks the gate. While the gate is closed, the attempt is not counted. */
  async enter(key: string): Promise<GateResult> {
    const waitMs = await this.waitMs(key);
    return waitMs > 0 ? { count: 0, waitMs, closedSeconds: 0 } : this.pass(key, await this.count(key));
  }

  /** Removes attempts from the count. Opens the gate when the remaining ones are free. */
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

  /** Closes the gate of a key for this time, unless it is closed for longer. */
  async close(key: string, seconds: number): Promise<void> {
    if ((await this.waitMs(key)) < seconds * 1000) {
      await this.gates.set(key, 1, seconds);
    }
  }

  async forget(key: string): Promise<void> {
    await Promise.all([this.failures.delete(key), this.gates.delete(key)]);
  }
}
