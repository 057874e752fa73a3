import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthEvent, AuthEventSink } from '../contract/auth-event.js';
import { EventQueue } from './event-queue.js';

let count = 0;
const event = (type: AuthEvent['type']) => ({ type, subjectId: ++count }) as AuthEvent;

describe('the queue of a sink', () => {
  let kept: AuthEvent[];
  let calls: number[];
  let failures: unknown[];
  let goOn: () => void;
  let queue: EventQueue;
  const make = (sink: Partial<AuthEventSink>) => {
    queue = new EventQueue(sink as AuthEventSink, (error) => failures.push(error));
  };
  /** Answers no call before it is told to. */
  const slow = () => {
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const keepAll = async (events: readonly AuthEvent[]) => {
      calls.push(events.length);
      await released;
      kept.push(...events);
    };
    make({ keep: (one) => keepAll([one]), keepAll });
  };
  beforeEach(() => {
    [kept, calls, failures] = [[], [], []];
  });

  it('gives it one call at a time, with what has come meanwhile', async () => {
    slow();
    const events = Array.from({ length: 251 }, () => event('login'));
    expect(events.every((one) => queue.add(one))).toBe(true);
    expect(calls).toEqual([1]);
    goOn();
    await queue.emptied();
    expect([calls, kept]).toEqual([[1, 100, 100, 50], events]);
  });

  it('drops refusals, and no login for them', async () => {
    slow();
    queue.add(event('login'));
    const refusals = Array.from({ length: 5000 }, () => queue.add(event('access-denied')));
    expect(refusals.filter(Boolean)).toHaveLength(500);
    const logins = Array.from({ length: 1000 }, () => event('login'));
    const answers = logins.map((login) => queue.add(login));
    expect(answers.filter(Boolean)).toHaveLength(500);
    expect(queue.add(event('login'))).toBe(false);
    expect(queue.add(event('access-denied'))).toBe(false);
    goOn();
    await queue.emptied();
    expect(kept.slice(1)).toEqual(logins);
    expect(queue.add(event('access-denied'))).toBe(true);
  });

  it('keeps of several events all but those that cannot be kept', async () => {
    const keep = async (one: AuthEvent) => {
      if (one.type === 'logout') {
        throw new Error('no logouts');
      }
      kept.push(one);
    };
    const keepAll = async () => {
      throw new Error('one of them is a logout');
    };
    make({ keep, keepAll });
    const events = (['login', 'login', 'logout', 'login'] as const).map(event);
    events.forEach((one) => queue.add(one));
    await queue.emptied();
    expect(kept).toEqual(events.filter(({ type }) => type === 'login'));
    expect(failures).toEqual([new Error('no logouts')]);
  });

  it('needs no more than keep', async () => {
    make({ keep: async (one) => void kept.push(one) });
    const events = (['login', 'logout', 'login'] as const).map(event);
    events.forEach((one) => queue.add(one));
    await queue.emptied();
    expect(kept).toEqual(events);
  });
});
