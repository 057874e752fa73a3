import { describe, expect, it } from '@jest/globals';
import { hasChecksum, withChecksum } from './lookups.js';

describe('a checksum', () => {
  it.each([
    ['kato_123456789', 'kato_123456789_0hyj55s'],
    ['katx_1c', 'katx_1c_006nk1r'],
  ])('of %s', (body, token) => {
    expect(withChecksum(body)).toBe(token);
    expect(hasChecksum(body, token.slice(-7))).toBe(true);
  });

  it.each([undefined, '', '0000000', '0HYJ55S'])('is not %j', (checksum) => {
    expect(hasChecksum('kato_123456789', checksum)).toBe(false);
  });
});
