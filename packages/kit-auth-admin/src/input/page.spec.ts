import { describe, expect, it } from '@jest/globals';
import { readPage, readText, readTime } from './page.js';

const refusal = expect.objectContaining({ code: 40000 });

describe('readPage', () => {
  it.each([
    [{}, 1, 20, 0],
    [{ page: '', size: '' }, 1, 20, 0],
    [{ page: '3', size: '100' }, 3, 100, 200],
    [{ page: '1000000', size: '1' }, 1_000_000, 1, 999_999],
  ])('reads %j', (query, page, size, skip) => {
    expect(readPage(query)).toEqual({ page, size, skip });
  });

  it.each([
    { size: '0' },
    { size: '101' },
    { page: '0' },
    { page: '1e3' },
    { page: '1000001' },
    { page: ['1', '2'] },
  ])('refuses %j', (query) => {
    expect(() => readPage(query)).toThrow(refusal);
  });
});

describe('readText', () => {
  it('returns the text, or undefined for an absent, empty or inherited one', () => {
    expect(readText({ q: 'Émile' }, 'q')).toBe('Émile');
    expect(readText({ q: 'x'.repeat(255) }, 'q')).toHaveLength(255);
    expect([readText({}, 'q'), readText({ q: '' }, 'q'), readText({}, 'constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([['x'.repeat(256)], ['a\0'], ['\ud800'], [['a', 'b']], [{ a: 'b' }]])('refuses %j', (q) => {
    expect(() => readText({ q }, 'q')).toThrow(refusal);
  });
});

describe('readTime', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ])('reads %s', (from, time) => {
    expect(readTime({ from }, 'from')?.toISOString()).toBe(time);
  });

  it('returns undefined for an absent time', () => {
    expect(readTime({}, 'from')).toBeUndefined();
  });

  it.each(['yesterday', '2026', '01/31/2026', '1769860800000', '2026-13-01'])('refuses %s', (from) => {
    expect(() => readTime({ from }, 'from')).toThrow(refusal);
  });
});
