import { expect, it } from '@jest/globals';
import { totpCode } from './totp.js';

/** `12345678901234567890` in base32, the secret of RFC 6238 appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('totpCode at %d is that of RFC 6238', (seconds, code) => {
  expect(totpCode(SECRET, seconds * 1000)).toBe(code);
});
