import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loginUser } from 'test-support';
import { TokenData } from './token-data.js';

const of = (names: string[], data: unknown) => new TokenData(names).of(loginUser({ data: data as never }));
const within = (names: string[], data: unknown) => new TokenData(names).in({ data: data as never });

describe('the data of a token', () => {
  const log = jest.fn<(line: string) => void>();
  beforeEach(() => {
    log.mockClear();
    Logger.overrideLogger({ log, error: log, warn: log });
  });
  afterEach(() => Logger.overrideLogger(false));

  it('has the named fields of the user, and no others', () => {
    const data = { tenant: 't1', salary: 1, quota: { notes: [1, null] } };
    expect(of(['tenant', 'quota', 'other'], data)).toEqual({ tenant: 't1', quota: { notes: [1, null] } });
    expect(of(['tenant'], Object.create(data))).toBeUndefined();
  });

  it.each([
    ['no field is named', [], { tenant: 't1' }],
    ['the user has no data', ['tenant'], undefined],
    ['the user has none of them', ['tenant'], { tenant: undefined, salary: 1 }],
  ])('is absent if %s', (_what, names, data) => {
    expect([of(names, data), within(names, data)]).toEqual([undefined, undefined]);
  });

  it('is read with the fields that are named now, and frozen', () => {
    const read = within(['tenant'], { tenant: { id: 1 }, salary: 1 });
    expect(read).toEqual({ tenant: { id: 1 } });
    expect([read, read?.['tenant']].every(Object.isFrozen)).toBe(true);
  });

  it('has at most 1024 bytes as JSON', () => {
    const room = 1024 - JSON.stringify({ a: '' }).length;
    expect(of(['a'], { a: 'x'.repeat(room) })).toBeDefined();
    expect(of(['a'], { a: 'x', b: 'x'.repeat(room) })).toEqual({ a: 'x' });
    for (const a of ['x'.repeat(room + 1), 'é'.repeat(room / 2 + 1)]) {
      expect(() => of(['a'], { a })).toThrow(
        expect.objectContaining({
          code: 50300,
          message: expect.stringContaining('data of the user does not fit'),
        }),
      );
    }
    expect(log.mock.calls[0]?.[0]).toBe(
      '[jwt] no token for user 7, whose data would have 1025 bytes as JSON, 1024 is the most. kit.auth.jwt.data has a',
    );
  });

  it('is JSON, whoever issues the token', () => {
    expect(() => of(['since'], { since: new Date(0) })).toThrow(expect.objectContaining({ code: 50300 }));
    expect(log.mock.calls[0]?.[0]).toContain('no token for user 7, whose data.since is an instance of Date');
  });
});
