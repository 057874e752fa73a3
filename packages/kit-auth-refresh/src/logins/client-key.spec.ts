import { describe, expect, it } from '@jest/globals';
import { clientKey } from './successor.js';

const key = (address: string | undefined, userAgent?: string) =>
  clientKey({ address, userAgent, hasLeft: () => false });

describe('where a refresh comes from', () => {
  it.each([
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2::3', '2001:db8:1:2:ffff::4'],
    [undefined, undefined],
    ['unix:', 'unix:'],
  ])('is the same for %s and %s', (one, other) => {
    expect(key(one, 'agent')).toBe(key(other, 'agent'));
  });

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:1:2::3', '2001:db8:1:3::3'],
    ['192.0.2.1', undefined],
  ])('is another place for %s and %s', (one, other) => {
    expect(key(one, 'agent')).not.toBe(key(other, 'agent'));
  });

  it('is another client with another user agent', () => {
    expect(key('192.0.2.1', 'one')).not.toBe(key('192.0.2.1', 'two'));
    expect(key('192.0.2.1', 'one')).not.toBe(key('192.0.2.1'));
    expect(key('192.0.2.1', 'x'.repeat(100_000))).toHaveLength(43);
  });
});
