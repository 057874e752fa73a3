import { describe, expect, it } from '@jest/globals';
import { PAGE, rangeOf, TEXT_PARAMETER, TIME_PARAMETER } from './query.js';

const refusal = expect.objectContaining({ code: 40000 });

describe('the parameters of a page', () => {
  const read = ({ page, size }: Record<string, unknown>) =>
    rangeOf({
      ...(page !== undefined && { page: PAGE.page.read(page, 'page') }),
      ...(size !== undefined && { size: PAGE.size.read(size, 'size') }),
    });

  it.each([
    [{}, 1, 20, 0],
    [{ page: '', size: '' }, 1, 20, 0],
    [{ page: '3', size: '100' }, 3, 100, 200],
    [{ page: '1000000', size: '1' }, 1_000_000, 1, 999_999],
  ])('may be %j', (query, page, size, skip) => {
    expect(read(query)).toEqual({ page, size, skip });
  });

  it.each([
    { size: '0' },
    { size: '101' },
    { page: '0' },
    { page: '1e3' },
    { page: '1000001' },
    { page: ['1', '2'] },
  ])('are not %j', (query) => {
    expect(() => read(query)).toThrow(refusal);
  });
});

describe('a text in a query', () => {
  it('is read as it is, and absent if it is empty', () => {
    expect(TEXT_PARAMETER.read('Émile', 'q')).toBe('Émile');
    expect(TEXT_PARAMETER.read('x'.repeat(255), 'q')).toHaveLength(255);
    expect(TEXT_PARAMETER.read('', 'q')).toBeUndefined();
  });

  it.each([['x'.repeat(256)], ['a\0'], ['\ud800'], [['a', 'b']], [{ a: 'b' }]])('is not %j', (q) => {
    expect(() => TEXT_PARAMETER.read(q, 'q')).toThrow(refusal);
  });
});

describe('a time in a query', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ])('may be %s', (from, time) => {
    expect(TIME_PARAMETER.read(from, 'from')?.toISOString()).toBe(time);
  });

  it('is absent if it is empty', () => {
    expect(TIME_PARAMETER.read('', 'from')).toBeUndefined();
  });

  it.each(['yesterday', '2026', '01/31/2026', '1769860800000', '2026-13-01'])('is not %s', (from) => {
    expect(() => TIME_PARAMETER.read(from, 'from')).toThrow(refusal);
  });
});
