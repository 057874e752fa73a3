import { beforeEach, describe, expect, it } from '@jest/globals';
import { BoundedLimiter } from './bounded.limiter.js';
import { Budget } from './budget.js';

describe('Budget', () => {
  let budget: Budget;
  const enter = async (times: number) => {
    const results = [];
    for (let i = 0; i < times; i++) {
      results.push(await budget.enter('a'));
    }
    return results;
  };
  const isClosed = async () => (await budget.waitMs('a')) > 0;

  beforeEach(() => {
    budget = new Budget(new BoundedLimiter(3600, 100), new BoundedLimiter(900, 100), 3, 60);
  });

  it('closes the gate with the last free attempt, and does not count attempts at a closed gate', async () => {
    expect((await enter(3)).map(({ count, closedSeconds }) => [count, closedSeconds])).toEqual([
      [1, 0],
      [2, 0],
      [3, 1],
    ]);
    const [refused] = await enter(1);
    expect(refused).toMatchObject({ count: 0, closedSeconds: 0 });
    expect(refused?.waitMs).toBeGreaterThan(0);
  });

  it('doubles the wait up to the maximum', async () => {
    const closed = [];
    for (let count = 3; count <= 10; count++) {
      closed.push((await budget.pass('a', count)).closedSeconds);
      await budget.open('a');
    }
    expect(closed).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('lets one of several parallel attempts pass', async () => {
    const passed = await Promise.all([3, 4, 5].map((count) => budget.pass('a', count)));
    expect(passed.map(({ waitMs }) => waitMs > 0)).toEqual([false, true, true]);
  });

  it('opens the gate only when the remaining attempts are free', async () => {
    await enter(3);
    await budget.count('a');
    await budget.giveBack('a', 0);
    expect(await isClosed()).toBe(true);
    await budget.giveBack('a', 1);
    expect(await isClosed()).toBe(true);
    await budget.giveBack('a', 1);
    expect(await isClosed()).toBe(false);
  });

  it('closes a gate for longer, and never for a shorter time', async () => {
    await budget.close('a', 30);
    await budget.close('a', 10);
    expect(await budget.waitMs('a')).toBeGreaterThan(20_000);
    await budget.close('a', 50);
    expect(await budget.waitMs('a')).toBeGreaterThan(40_000);
    await budget.forget('a');
    expect(await isClosed()).toBe(false);
  });
});
