import { describe, expect, it } from '@jest/globals';
import { GuardedEvents, isEvents } from './guarded.events.js';

/** Events that come when the test says so. */
class Source implements AsyncIterableIterator<unknown> {
  isLeft = false;
  private settle: { resolve(result: IteratorResult<unknown>): void; reject(error: Error): void } | undefined;

  next(): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => (this.settle = { resolve, reject }));
  }

  return(): Promise<IteratorResult<unknown>> {
    this.isLeft = true;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  emit(value: unknown): void {
    this.settle?.resolve({ done: false, value });
  }

  complete(): void {
    this.settle?.resolve({ done: true, value: undefined });
  }

  fail(error: Error): void {
    this.settle?.reject(error);
  }
}

function guarded() {
  const source = new Source();
  let ends = 0;
  const events = new GuardedEvents(source, () => ends++);
  return { source, events, ends: () => ends };
}

/** What a promise has come to, after everything that can settle it now. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const soon = new Promise((resolve) => setImmediate(() => resolve('pending')));
  return Promise.race([promise, soon]).catch((error: unknown) => error);
}

describe('guarded events', () => {
  it('pass events, the end and errors on', async () => {
    const { source, events, ends } = guarded();
    const first = events.next();
    source.emit('one');
    expect(await first).toEqual({ done: false, value: 'one' });
    const failing = events.next();
    source.fail(new Error('lost'));
    await expect(failing).rejects.toThrow('lost');
    expect(ends()).toBe(1);
    const last = events.next();
    source.complete();
    expect([await last, ends()]).toEqual([{ done: true, value: undefined }, 2]);
  });

  it('leave the source with return()', async () => {
    const { source, events, ends } = guarded();
    const waiting = events.next();
    await events.return();
    expect([await waiting, source.isLeft, ends()]).toEqual([{ done: true, value: undefined }, true, 1]);
  });

  it('say nothing once they are stopped, until return()', async () => {
    const { source, events } = guarded();
    const waiting = events.next();
    events.stop();
    source.emit('late');
    expect([await stateOf(waiting), await stateOf(events.next())]).toEqual(['pending', 'pending']);
    expect(source.isLeft).toBe(true);
    const last = events.next();
    await events.return();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('fail with the error with which they are stopped, now and later', async () => {
    const { source, events } = guarded();
    const waiting = events.next();
    const error = new Error('forbidden');
    events.stop(error);
    source.emit('late');
    expect([await stateOf(waiting), await stateOf(events.next())]).toEqual([error, error]);
    expect(source.isLeft).toBe(true);
  });

  it('stop also when the source fails to be left', () => {
    const { source, events } = guarded();
    const throws = () => {
      throw new Error('lost');
    };
    for (const fails of [throws, () => Promise.reject(new Error('lost')), () => undefined]) {
      source.return = fails as typeof source.return;
      expect(() => events.stop()).not.toThrow();
    }
  });

  it('are iterables, as GraphQL wants them', () => {
    const values = [guarded().events, guarded().source, { next: () => undefined }, 'text', undefined, null];
    expect(values.map(isEvents)).toEqual([true, true, false, false, false, false]);
  });
});
