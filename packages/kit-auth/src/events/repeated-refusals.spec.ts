import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthEvent } from '../contract/auth-event.js';
import { RepeatedRefusals } from './repeated-refusals.js';

describe('repeated refusals', () => {
  let told: AuthEvent[];
  let refusals: RepeatedRefusals;
  beforeEach(() => {
    jest.useFakeTimers();
    told = [];
    refusals = new RepeatedRefusals((event) => told.push(event));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const refuse = (actorId: number, handler = 'Notes.list') =>
    refusals.folds({ type: 'access-denied', actorId, detail: `${handler}: editor` } as AuthEvent, handler);

  it('are told together when their minute is over', () => {
    expect([refuse(1), refuse(1), refuse(1), refuse(2), refuse(1, 'Notes.make')]).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    jest.advanceTimersByTime(59_999);
    expect([refuse(1), told]).toEqual([true, []]);
    jest.advanceTimersByTime(1);
    expect(told).toEqual([{ type: 'access-denied', actorId: 1, detail: '3 more: Notes.list: editor' }]);
    expect([refuse(1), refuse(2)]).toEqual([false, false]);
    jest.advanceTimersByTime(120_000);
    expect([told.length, jest.getTimerCount()]).toEqual([1, 0]);
  });

  it('are told before their minute is over when the application ends, or when there are too many', () => {
    refuse(1);
    refuse(1);
    for (let actorId = 2; actorId <= 10_001; actorId++) {
      refuse(actorId);
    }
    expect(told).toHaveLength(1);
    refuse(2);
    refusals.closeAll();
    expect(told.map(({ actorId }) => actorId)).toEqual([1, 2]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('have a detail of at most 255 characters, with their number', () => {
    refuse(1, 'x'.repeat(300));
    refuse(1, 'x'.repeat(300));
    refusals.closeAll();
    expect(told[0]?.detail).toMatch(/^1 more: x{247}$/);
  });
});
