import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenSealer } from './sealed-token.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const sealer = new TokenSealer([SECRET]);

describe('a sealed token', () => {
  it('opens to what was sealed', () => {
    const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    const time = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(id, time, time, (userId, createdAt, expiresAt) => {
        const opened = sealer.open(sealer.seal(userId, createdAt, expiresAt));
        expect(opened).toEqual({
          userId,
          createdAt,
          expiresAt,
          id: expect.stringMatching(/^[0-9a-z]+\.[\w-]{22}$/),
        });
      }),
    );
  });

  it('shows nothing of it, and is never the same twice', () => {
    const [one, two] = [sealer.seal(7, 1, 2), sealer.seal(7, 1, 2)];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^kass1_[\w-]{8}_[\w-]{91}$/);
  });

  it('does not open when any character of it is another', () => {
    const token = sealer.seal(7, 1, 2);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'aAzZ09_-.='.split('')), (at, character) => {
        fc.pre(token[at] !== character);
        expect(sealer.open(token.slice(0, at) + character + token.slice(at + 1))).toMatch(
          /^(malformed|signature)$/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('opens under every secret of the list, and under no other', () => {
    const token = sealer.seal(7, 1, 2);
    const next = 'the next secret of at least 32 bytes, for tests';
    expect(new TokenSealer([next, SECRET]).open(token)).toMatchObject({ userId: 7 });
    expect(new TokenSealer([next]).open(token)).toBe('signature');
    expect(sealer.open(new TokenSealer([next, SECRET]).seal(7, 1, 2))).toBe('signature');
  });

  it.each([0, 2 ** 31, 2 ** 53 - 1])('is of no user with the id %d', (id) =>
    expect(sealer.open(sealer.seal(id, 1, 2))).toBe('malformed'),
  );

  it.each(['', 'x', 'kass1_', 'kats_7_x', `kass2_${'a'.repeat(8)}_${'A'.repeat(91)}`])('is not %j', (text) =>
    expect(sealer.open(text)).toBe('malformed'),
  );
});
