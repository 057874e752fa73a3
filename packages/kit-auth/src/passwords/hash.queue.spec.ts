import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';
import { TooBusyException } from '../errors/auth.exception.js';
import { HashQueue } from './hash.queue.js';

/** A queue whose work ends when it is told to. */
class Bench {
  readonly done: string[] = [];
  readonly refused: string[] = [];
  private readonly ends: (() => void)[] = [];
  private readonly queue: HashQueue;

  constructor(concurrency: number, places: number) {
    this.queue = new HashQueue(concurrency, places);
  }

  add(name: string, turn: Partial<HashTurn> = {}): void {
    const work = () => new Promise<void>((resolve) => this.ends.push(resolve));
    const all = { group: name.replace(/\d+$/, ''), isKnown: false, hasLeft: () => false, ...turn };
    this.queue.run(all, work).then(
      () => this.done.push(name),
      (error: unknown) => this.refused.push(error instanceof TooBusyException ? name : `${name} left`),
    );
  }

  async end(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      await settle();
      this.ends.shift()?.();
    }
    await settle();
  }

  get running(): number {
    return this.ends.length;
  }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('HashQueue', () => {
  it('runs so many at once, in the order in which they came', async () => {
    const bench = new Bench(2, 10);
    ['a1', 'a2', 'a3', 'a4'].forEach((name) => bench.add(name));
    await settle();
    expect(bench.running).toBe(2);
    await bench.end(4);
    expect(bench.done).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('goes on after work that fails', async () => {
    const queue = new HashQueue(1, 1);
    const turn: HashTurn = { group: 'a', isKnown: false, hasLeft: () => false };
    const both = [queue.run(turn, () => Promise.reject(new Error('x'))), queue.run(turn, async () => 1)];
    expect(await Promise.allSettled(both)).toMatchObject([{ status: 'rejected' }, { value: 1 }]);
  });

  it('lets groups take turns', async () => {
    const bench = new Bench(1, 10);
    ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].forEach((name) => bench.add(name));
    await bench.end(7);
    expect(bench.done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('gives the place of the largest group to a newcomer, and turns the largest group away', async () => {
    const bench = new Bench(1, 4);
    ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].forEach((name) => bench.add(name));
    await settle();
    expect(bench.refused).toEqual(['a6']);
    ['b1', 'c1', 'd1', 'e1'].forEach((name) => bench.add(name));
    await settle();
    expect(bench.refused).toEqual(['a6', 'a5', 'a4', 'a3', 'e1']);
    await bench.end(5);
    expect(bench.done).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('has places for known devices, who go first', async () => {
    const bench = new Bench(1, 4);
    ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'].forEach((name) => bench.add(name));
    bench.add('known1', { isKnown: true });
    bench.add('known2', { isKnown: true });
    await settle();
    expect(bench.refused).toEqual(['f1', 'known2']);
    await bench.end(2);
    expect(bench.done).toEqual(['a1', 'known1']);
  });

  it('lets another hash in between those of known devices, whose groups take turns too', async () => {
    const bench = new Bench(1, 8);
    ['a1', 'b1', 'b2'].forEach((name) => bench.add(name));
    ['k1', 'k2', 'k3', 'm1'].forEach((name) => bench.add(name, { isKnown: true }));
    await settle();
    expect(bench.refused).toEqual(['k3', 'k2']);
    bench.add('k4', { isKnown: true });
    await bench.end(5);
    expect(bench.done).toEqual(['a1', 'k1', 'b1', 'm1', 'b2']);
  });

  it('has no places where none are configured', async () => {
    const bench = new Bench(1, 0);
    bench.add('a1');
    bench.add('b1');
    bench.add('known1', { isKnown: true });
    await settle();
    expect(bench.refused).toEqual(['b1', 'known1']);
  });

  it('starts nothing for clients who left, before they wait or while', async () => {
    const bench = new Bench(1, 2);
    let isGone = true;
    bench.add('a1', { hasLeft: () => true });
    bench.add('b1');
    isGone = false;
    bench.add('a2', { hasLeft: () => isGone });
    bench.add('a3', { hasLeft: () => isGone });
    isGone = true;
    bench.add('c1'); // takes a place that nobody needs any more
    await bench.end(2);
    expect(bench.done).toEqual(['b1', 'c1']);
    expect(bench.refused).toEqual(['a1 left', 'a2 left', 'a3 left']);
    bench.add('d1');
    isGone = false;
    bench.add('a4', { hasLeft: () => isGone });
    bench.add('d2');
    isGone = true;
    await bench.end(2);
    expect(bench.done).toEqual(['b1', 'c1', 'd1', 'd2']);
    expect(bench.refused.at(-1)).toBe('a4 left');
  });

  it('runs hashes outside of requests', async () => {
    expect(await new HashQueue(1, 1).run(OWN_TURN, async () => 7)).toBe(7);
  });

  it('has a quarter of its places for known devices, rounded up', async () => {
    const bench = new Bench(1, 9);
    bench.add('a1');
    ['k1', 'l1', 'm1', 'n1'].forEach((name) => bench.add(name, { isKnown: true }));
    await settle();
    expect(bench.refused).toEqual(['n1']);
  });

  describe('says when to come back', () => {
    const turnOf = (group: string, isKnown = false): HashTurn => ({ group, isKnown, hasLeft: () => false });
    let now = 1000;

    afterEach(() => {
      jest.restoreAllMocks();
    });

    it('from how long the last hash took, and how many wait', async () => {
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      const queue = new HashQueue(2, 3);
      const wait = async () => queue.run(turnOf('x'), async () => undefined).catch((error: unknown) => error);
      await queue.run(turnOf('a'), async () => void (now += 4001));
      let end: () => void = () => undefined;
      const work = () => new Promise<void>((resolve) => (end = resolve));
      const held = ['a', 'b'].map((group) => queue.run(turnOf(group), () => new Promise(() => undefined)));
      expect(held).toHaveLength(2);
      for (const turn of [turnOf('c'), turnOf('d'), turnOf('e'), turnOf('k', true)]) {
        void queue.run(turn, work);
      }
      // Four wait for two places, each for a little more than four seconds.
      expect(await wait()).toMatchObject({ retryAfter: 9 });
      end();
    });

    it('at least one second', async () => {
      const queue = new HashQueue(1, 0);
      void queue.run(turnOf('a'), () => new Promise(() => undefined));
      await expect(queue.run(turnOf('b'), async () => undefined)).rejects.toMatchObject({ retryAfter: 1 });
    });
  });
});
