import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeadlineExceeded } from '../errors/deadline.js';
import { WorkQueue } from './work-queue.js';

/** Work that goes on until it is told to end. */
function work(log: string[], name: string) {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => (end = resolve));
  const run = async () => {
    log.push(name);
    await until;
    return name;
  };
  return { run, end };
}

describe('a work queue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('limit how much work runs at the same time, and keep its order', async () => {
    const log: string[] = [];
    const queue = new WorkQueue(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => work(log, name));
    const results = all.map(({ run }) => queue.run(1000, run));
    await jest.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['a', 'b']);
    all[1]!.end();
    await expect(results[1]).resolves.toBe('b');
    await jest.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['a', 'b', 'c']);
    all.forEach(({ end }) => end());
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are passed on after a failure', async () => {
    const queue = new WorkQueue(1);
    await expect(queue.run(1000, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await queue.run(1000, async () => 'next')).toBe('next');
  });

  it('are not waited for longer than said, and work that was given up never runs', async () => {
    const log: string[] = [];
    const queue = new WorkQueue(1);
    const [first, second, third] = ['a', 'b', 'c'].map((name) => work(log, name));
    const running = queue.run(1000, first!.run);
    const late = expect(queue.run(1000, second!.run)).rejects.toThrow(DeadlineExceeded);
    await jest.advanceTimersByTimeAsync(999);
    const patient = queue.run(1000, third!.run);
    await jest.advanceTimersByTimeAsync(1);
    await late;
    first!.end();
    third!.end();
    expect([await running, await patient]).toEqual(['a', 'c']);
    expect(log).toEqual(['a', 'c']);
  });
});
