import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { totpCode } from 'test-support';
import { base32, codeOf, matchedStep, newSecret, stepAt, uriOf } from './totp.js';

/** Of RFC 6238 appendix B. */
const SECRET = Buffer.from('12345678901234567890');
const STEP_MS = 30_000;

describe('a code', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('of RFC 6238 at %d s matches its step', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(matchedStep(SECRET, code, 0, seconds * 1000)).toBe(step);
    expect(codeOf(SECRET, step)).toBe(code);
  });

  it('is that of another generator', () => {
    const time = fc.integer({ min: 0, max: 4102444800000 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), time, (bytes, now) => {
        const secret = Buffer.from(bytes);
        const code = totpCode(base32(secret), now);
        expect(matchedStep(secret, code, 0, now)).toBe(stepAt(now));
        expect(codeOf(secret, stepAt(now))).toBe(code);
      }),
    );
  });

  it.each([0, 1, 2])('may be %d steps early or late, and no more', (window) => {
    const begin = 1111111110 * 1000; // of a step
    const code = codeOf(SECRET, stepAt(begin));
    for (const now of [begin, begin + STEP_MS - 1]) {
      for (let off = -window; off <= window; off++) {
        expect(matchedStep(SECRET, code, window, now + off * STEP_MS)).toBe(stepAt(begin));
      }
    }
    expect(matchedStep(SECRET, code, window, begin - window * STEP_MS - 1)).toBeUndefined();
    expect(matchedStep(SECRET, code, window, begin + (window + 1) * STEP_MS)).toBeUndefined();
  });

  it('may be typed as apps show it', () => {
    expect(matchedStep(SECRET, '287 082', 0, 59_000)).toBe(1);
  });

  it.each(['2870820', '28708', '287.082', '287082x', ''])('is not %j', (text) => {
    expect(matchedStep(SECRET, text, 1, 59_000)).toBeUndefined();
  });

  it('is no other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(text !== '287082');
        expect(matchedStep(SECRET, text, 0, 59_000)).toBeUndefined();
      }),
    );
  });
});

describe('a secret', () => {
  it('has 160 random bits, which apps read in base32', () => {
    const [one, two] = [newSecret(), newSecret()];
    expect(one).toHaveLength(20);
    expect(one.equals(two)).toBe(false);
    expect(base32(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(base32(Buffer.from([255]))).toBe('74');
  });

  it('is part of a URI, in which nothing of the username can be anything else', () => {
    const uri = uriOf(SECRET, 'Ada & Co', 'ada@example.com?secret=X&issuer=Y#zoë');
    expect(uri).toBe(
      'otpauth://totp/Ada%20%26%20Co:ada%40example.com%3Fsecret%3DX%26issuer%3DY%23zo%C3%AB' +
        '?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ada%20%26%20Co&algorithm=SHA1&digits=6&period=30',
    );
    // Apps split the label at a colon after they have decoded it.
    expect(decodeURIComponent(new URL(uriOf(SECRET, 'App', 'urn:user:7')).pathname)).toMatch(
      /App:urn：user：7$/,
    );
    expect([...new URL(uri).searchParams.keys()]).toEqual([
      'secret',
      'issuer',
      'algorithm',
      'digits',
      'period',
    ]);
  });
});
