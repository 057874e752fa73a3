import { setImmediate } from 'node:timers/promises';

/**
 * Starts two actions so close to each other that either may come first. The head start, in turns of the event loop, is
 * learned from the outcomes: it grows until the other action comes first, and then shrinks again.
 */
export class CloseRace {
  /** Turns that the first action is ahead. Negative: the second. */
  private lead = 0;
  private step = 0;

  async run<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    if (this.lead < 0) {
      const [b, a] = await ahead(-this.lead, second, first);
      return [a, b];
    }
    return ahead(this.lead, first, second);
  }

  /** Gives the action that came second more of a head start in the next run. */
  wonBy(winner: 'first' | 'second'): void {
    const direction = winner === 'first' ? -1 : 1;
    this.step = Math.sign(this.step) === direction ? this.step * 2 : direction;
    this.lead += this.step;
  }
}

/** At the latest, the other action starts when the early one has ended. */
async function ahead<A, B>(turns: number, early: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  let hasEnded = false as boolean;
  const running = early().finally(() => (hasEnded = true));
  for (let turn = 0; turn < turns && !hasEnded; turn++) {
    await setImmediate();
  }
  return Promise.all([running, other()]);
}
