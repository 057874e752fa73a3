import { setImmediate } from 'node:timers';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Deadline, DeadlineExceeded, withinDeadline } from './deadline.js';
import { andThen, isPromiseLike } from './maybe-promise.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A turn of the real event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<never>(() => undefined);

describe('Deadline', () => {
  it('gives the answer or the error of a call, and leaves no timer', async () => {
    const deadline = new Deadline('the server', 100);
    await expect(deadline.within(async () => 'answer')).resolves.toBe('answer');
    await expect(deadline.within(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const failing = () => {
      throw new Error('not even asked');
    };
    await expect(deadline.within(failing)).rejects.toThrow('not even asked');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends the wait for an answer', async () => {
    const onMiss = jest.fn();
    const missed = expect(new Deadline('the server', 100).within(never, onMiss)).rejects.toThrow(
      'the server gave no answer in 100 ms',
    );
    jest.advanceTimersByTime(99);
    await turn();
    expect(onMiss).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    await missed;
    expect(onMiss).toHaveBeenCalledTimes(1);
  });

  it('takes an answer that arrived while the process was busy', async () => {
    jest.useRealTimers();
    const { port1, port2 } = new MessageChannel();
    const onMiss = jest.fn();
    await turn(); // Timers come next, and then input.
    const answer = new Deadline('the server', 1).within(
      () =>
        new Promise((resolve) => {
          port2.once('message', resolve);
          port1.postMessage('answer');
        }),
      onMiss,
    );
    const begun = performance.now();
    while (performance.now() - begun < 10);
    await expect(answer).resolves.toBe('answer');
    await turn();
    expect(onMiss).not.toHaveBeenCalled();
    port1.close();
  });

  it('leaves no timer when the answer comes at the last moment', async () => {
    const onMiss = jest.fn();
    let give: (value: string) => void = () => undefined;
    const answer = new Deadline('the server', 100).within(
      () => new Promise<string>((resolve) => (give = resolve)),
      onMiss,
    );
    setTimeout(() => give('answer'), 100);
    jest.advanceTimersByTime(100);
    await expect(answer).resolves.toBe('answer');
    await turn();
    expect(onMiss).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('counts a call until it has an answer, even when nobody waits any more', async () => {
    const deadline = new Deadline('the server', 100, 2);
    let answer: (value: string) => void = () => undefined;
    const late = deadline.within(() => new Promise<string>((resolve) => (answer = resolve)));
    const silent = deadline.within(never);
    jest.advanceTimersByTime(100);
    await expect(late).rejects.toThrow('gave no answer');
    await expect(silent).rejects.toThrow('gave no answer');
    const call = jest.fn(async () => 'made');
    await expect(deadline.within(call)).rejects.toThrow('the server has 2 calls to answer');
    expect(call).not.toHaveBeenCalled();
    answer('late');
    await jest.advanceTimersByTimeAsync(0);
    await expect(deadline.within(call)).resolves.toBe('made');
  });

  it('makes at most 1,000 calls at a time by default', async () => {
    const deadline = new Deadline('the server', 100);
    const calls = Array.from({ length: 1000 }, () => deadline.within(never).catch(() => 'missed'));
    await expect(deadline.within(never)).rejects.toThrow('the server has 1000 calls to answer');
    await jest.advanceTimersByTimeAsync(101);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['missed']));
  });
});

describe('withinDeadline', () => {
  it('ends the wait for an answer', async () => {
    await expect(withinDeadline(100, Promise.resolve(1))).resolves.toBe(1);
    const missed = expect(withinDeadline(100, never())).rejects.toThrow('no answer in 100 ms');
    jest.advanceTimersByTime(100);
    await missed;
  });
});

describe('a value that may be a promise', () => {
  it('is one if it has a method then', () => {
    const thenable = { then: () => undefined };
    expect([isPromiseLike(Promise.resolve()), isPromiseLike<unknown>(thenable)]).toEqual([true, true]);
    for (const value of [undefined, null, 7, {}, { then: 1 }]) {
      expect(isPromiseLike<unknown>(value)).toBe(false);
    }
  });

  it('is continued with at once, or when it has resolved', async () => {
    expect(andThen(7, (value) => value + 1)).toBe(8);
    const later = andThen(Promise.resolve(7), (value) => value + 1);
    expect(later).toBeInstanceOf(Promise);
    await expect(later).resolves.toBe(8);
  });

  it('is named by its class if it takes too long', () => {
    expect(String(new DeadlineExceeded('x'))).toBe('DeadlineExceeded: x');
  });
});
