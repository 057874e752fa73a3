import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate } from 'test-support';
import { OncePer } from './once-per.js';

const HOUR_MS = 3_600_000;

describe('OncePer', () => {
  let advance: (milliseconds: number) => void;
  beforeEach(() => {
    advance = freezeDate();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('tells the first of an interval, for each name', () => {
    const hourly = new OncePer(HOUR_MS);
    expect(['a', 'a', 'b', 'a'].map((name) => hourly.isFirst(name))).toEqual([true, false, true, false]);
    advance(HOUR_MS - 1);
    expect(hourly.isFirst('a')).toBe(false);
    advance(1);
    expect(hourly.isFirst('a')).toBe(true);
    expect(hourly.isFirst('a')).toBe(false);
  });

  it('goes on when the clock is set back', () => {
    const hourly = new OncePer(HOUR_MS);
    hourly.isFirst('a');
    advance(-24 * HOUR_MS);
    expect(hourly.isFirst('a')).toBe(true);
    expect(hourly.isFirst('a')).toBe(false);
  });

  it('knows what happened in other processes, also if their clock is ahead', () => {
    const hourly = new OncePer(HOUR_MS);
    hourly.note('a', Date.now() - HOUR_MS + 1);
    hourly.note('b', Date.now() + 1000);
    expect([hourly.isFirst('a'), hourly.isFirst('b')]).toEqual([false, false]);
    advance(1);
    expect([hourly.isFirst('a'), hourly.isFirst('b')]).toEqual([true, false]);
    hourly.note('a', Date.now() - HOUR_MS);
    expect(hourly.isFirst('a')).toBe(false);
  });

  it('remembers a limited number of names', () => {
    const hourly = new OncePer(HOUR_MS);
    for (let i = 0; i <= 10_000; i++) {
      hourly.isFirst(`name ${i}`);
    }
    expect(hourly.isFirst('name 10000')).toBe(false);
    expect(hourly.isFirst('name 1')).toBe(false);
    expect(hourly.isFirst('name 0')).toBe(true);
  });
});
