import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenSealer } from './sealed-token.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const sealer = new TokenSealer([SECRET]);
/** Sealed by the version before there were proofs. */
const EARLIER =
  'kass1_iWfPwrvw_oyesys1lrxs8aVUeLPv3sgzT5ZStyIXB4GikpOwfQHC7ZykBekY-SfbFOTcB_3kfbTsb99L3usr2dg4t2S6fb7536VA';

const seal = (userId = 7, by = sealer) => by.seal({ userId, createdAt: 1, expiresAt: 2, proof: undefined });

describe('a sealed token', () => {
  it('opens to what was sealed', () => {
    const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    const time = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const json = fc.string({ unit: 'binary', maxLength: 80 }).map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(
        id,
        time,
        time,
        fc.option(json, { nil: undefined }),
        (userId, createdAt, expiresAt, proof) => {
          const token = sealer.seal({ userId, createdAt, expiresAt, proof });
          expect(sealer.open(token)).toEqual({
            userId,
            createdAt,
            expiresAt,
            proof,
            id: expect.stringMatching(/^[0-9a-z]+\.[\w-]{22}$/),
          });
        },
      ),
    );
  });

  it('has room for every id and every proof that can be written', () => {
    const lengths = Array.from({ length: 513 }, (_, length) => 'p'.repeat(length));
    for (const userId of [7, 'u', 'u'.repeat(127), '~'.repeat(128)] as number[]) {
      for (const proof of [undefined, ...lengths.slice(1)]) {
        const token = sealer.seal({ userId, createdAt: 1, expiresAt: 2, proof });
        expect(sealer.open(token)).toMatchObject({ userId, proof });
      }
    }
  });

  it('holds a text id, which no number equals', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.stringMatching(/^[!-~]{1,128}$/), fc.constant('7')), (text) => {
        const userId = text as unknown as number;
        const opened = sealer.open(seal(userId));
        expect(opened).toMatchObject({ userId, proof: undefined });
        expect(opened).toMatchObject({ id: expect.stringMatching(/^[\w-]{16}\.[\w-]{22}$/) });
      }),
    );
  });

  it('opens as one of an earlier version, which has no proof', () => {
    expect(new TokenSealer([SECRET]).open(EARLIER)).toEqual({
      userId: 7,
      createdAt: 1_700_000_000_000,
      expiresAt: 1_700_043_200_000,
      proof: undefined,
      id: expect.stringMatching(/^7\.[\w-]{22}$/),
    });
  });

  it('shows nothing of it, and is never the same twice', () => {
    const [one, two] = [seal(), seal()];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^kass1_[\w-]{8}_[\w-]{91}$/);
  });

  it('does not open when any character of it is another', () => {
    const token = seal();
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
    const token = seal();
    const next = 'the next secret of at least 32 bytes, for tests';
    expect(new TokenSealer([next, SECRET]).open(token)).toMatchObject({ userId: 7 });
    expect(new TokenSealer([next]).open(token)).toBe('signature');
    expect(sealer.open(seal(7, new TokenSealer([next, SECRET])))).toBe('signature');
  });

  it.each([0, 2 ** 31, 2 ** 53 - 1])('is of no user with the id %d', (id) =>
    expect(sealer.open(seal(id))).toBe('malformed'),
  );

  it.each<[string, (token: string) => string]>([
    ['with a word behind', (token) => `${token} x`],
    ['with a space before', (token) => ` ${token}`],
    ['replaced by 12 KB', () => 'a'.repeat(12_000)],
  ])('is none %s', (_how, textOf) => expect(sealer.open(textOf(seal()))).toBe('malformed'));

  it.each(['', 'x', '1', 'undefined', 'kass1_', 'kats_7_x', `kass2_${'a'.repeat(8)}_${'A'.repeat(91)}`])(
    'is not %j',
    (text) => expect(sealer.open(text)).toBe('malformed'),
  );
});
