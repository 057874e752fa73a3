import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openRequestContext } from '../../context/kit-auth.context.js';
import { ClientLeftException, TooBusyException } from '../../errors/auth.exception.js';
import { LookupQueue } from './lookup-queue.js';

/** A queue whose look-ups end when they are told to. */
class Bench {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  private readonly ends: (() => void)[] = [];

  constructor(private readonly queue: LookupQueue) {}

  /** A look-up outside of requests. */
  add(name: string): void {
    const lookUp = () => {
      this.started.push(name);
      return new Promise<void>((resolve) => this.ends.push(resolve));
    };
    this.queue.run(lookUp).catch((error: unknown) => {
      expect(error).toBeInstanceOf(TooBusyException);
      expect(error).toMatchObject({ code: 50300, retryAfter: 1 });
      this.refused.push(error instanceof ClientLeftException ? `${name} left` : name);
    });
  }

  /** A look-up of a request. @returns what closes its response */
  addFrom(ip: string, name: string): () => void {
    const response = new EventEmitter();
    openRequestContext({ ip, headers: {}, socket: {} }, response as never, () => this.add(name));
    return () => void response.emit('close');
  }

  async end(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      await turn();
      this.ends.shift()?.();
    }
    await turn();
  }
}

/** A turn of the real event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('LookupQueue', () => {
  let bench: Bench;
  let warn: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => {
    jest.useFakeTimers();
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    jest.advanceTimersByTime(60_000);
    bench = new Bench(new LookupQueue(2));
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('runs so many at once, in the order in which they came', async () => {
    ['a', 'b', 'c', 'd'].forEach((name) => bench.add(name));
    await turn();
    expect(bench.started).toEqual(['a', 'b']);
    await bench.end();
    expect(bench.started).toEqual(['a', 'b', 'c']);
    await bench.end(3);
    expect([bench.started, bench.refused]).toEqual([['a', 'b', 'c', 'd'], []]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('gives the answer or the error of a look-up', async () => {
    const queue = new LookupQueue(1);
    const outcomes = [queue.run(() => Promise.reject(new Error('x'))), queue.run(async () => 'answer')];
    expect(await Promise.allSettled(outcomes)).toMatchObject([
      { status: 'rejected', reason: new Error('x') },
      { value: 'answer' },
    ]);
  });

  it('lets networks take turns, and jobs with them', async () => {
    ['a1', 'a2', 'a3', 'a4', 'a5'].forEach((name) => bench.addFrom('192.0.2.1', name));
    ['b1', 'b2'].forEach((name, i) => bench.addFrom(`2001:db8::${i}`, name));
    ['job1', 'job2'].forEach((name) => bench.add(name));
    await bench.end(9);
    expect(bench.started).toEqual(['a1', 'a2', 'a3', 'b1', 'job1', 'a4', 'b2', 'job2', 'a5']);
  });

  it('does not run what nobody waits for any more', async () => {
    ['a', 'b'].forEach((name) => bench.add(name));
    const leave = ['c', 'd', 'e'].map((name) => bench.addFrom('192.0.2.1', name));
    leave[0]?.();
    leave[2]?.();
    await bench.end();
    expect([bench.started, bench.refused]).toEqual([
      ['a', 'b', 'd'],
      ['c left', 'e left'],
    ]);
    bench.add('f');
    bench.addFrom('192.0.2.2', 'g');
    jest.advanceTimersByTime(900);
    bench.add('h');
    await bench.end(3);
    expect(bench.started).toEqual(['a', 'b', 'd', 'h']);
    expect(bench.refused.slice(2)).toEqual(['f', 'g']);
  });

  it('does not run what the caller would give up during the call', async () => {
    for (let i = 0; i < 50; i++) {
      bench.add('slow');
      jest.advanceTimersByTime(200);
      await bench.end();
    }
    ['a', 'b', 'c', 'd'].forEach((name) => bench.add(name));
    jest.advanceTimersByTime(600);
    await bench.end();
    jest.advanceTimersByTime(60);
    await bench.end();
    expect([bench.started.slice(50), bench.refused]).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('does not judge by one slow look-up', async () => {
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => bench.add(name));
    jest.advanceTimersByTime(600);
    await bench.end(3);
    expect([bench.started, bench.refused]).toEqual([['a', 'b', 'c', 'd', 'e'], []]);
  });

  it('runs what a handler has started, after its response too', async () => {
    ['a', 'b'].forEach((name) => bench.add(name));
    const response = new EventEmitter();
    openRequestContext({ ip: '192.0.2.1', headers: {}, socket: {} }, response as never, () => {
      response.emit('close');
      bench.add('c');
    });
    await bench.end();
    expect(bench.started).toEqual(['a', 'b', 'c']);
  });

  it('refuses new ones while all that run take too long, and runs them again afterwards', async () => {
    ['a', 'b', 'c'].forEach((name) => bench.add(name));
    jest.advanceTimersByTime(450);
    bench.add('d');
    jest.advanceTimersByTime(1);
    // The answers may have arrived, if the process was busy.
    bench.add('e');
    await turn();
    expect(bench.refused).toEqual([]);
    ['f', 'g'].forEach((name) => bench.add(name));
    await turn();
    expect([bench.started, bench.refused]).toEqual([
      ['a', 'b'],
      ['f', 'g'],
    ]);
    await bench.end(2);
    bench.add('h');
    await bench.end(3);
    expect(bench.started).toContain('h');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('2 connections are too few')]]);
  });

  it('keeps no more than 900 waiting, of which no network has more than its share', async () => {
    ['a', 'b'].forEach((name) => bench.add(name));
    for (let i = 0; i < 900; i++) {
      bench.addFrom('192.0.2.1', `junk ${i}`);
    }
    bench.addFrom('192.0.2.2', 'c');
    bench.addFrom('192.0.2.1', 'more junk');
    await turn();
    expect(bench.refused).toEqual(['junk 899', 'more junk']);
    await bench.end(2);
    expect(bench.started).toEqual(['a', 'b', 'junk 0', 'c']);
  });
});
