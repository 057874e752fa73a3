import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IllegalStateException, type LoginProof } from 'kit-auth';
import { asciiJson, endOfLogin, ProofReader, writeProof } from 'kit-auth/login';
import { TokenSealer } from './sealed-token.js';

const read = (text: string | undefined): LoginProof => new ProofReader().read('1.id', text);
const NOTHING = { loginId: '1.id', factors: {} };

const time = fc.integer({ min: 0, max: 4_000_000_000 });
const proofs = fc.record(
  {
    factors: fc.dictionary(fc.constantFrom('password', 'totp', 'recovery', 'passkey', 'a-factor_1'), time),
    expiresAt: time,
    actor: fc.record({
      userId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      username: fc.string({ unit: 'binary', maxLength: 50 }),
    }),
    loginId: fc.stringMatching(/^[\w.-]{1,64}$/),
  },
  { requiredKeys: ['factors'], noNullPrototype: true },
) as fc.Arbitrary<LoginProof>;

describe('the stored text of a proof', () => {
  it('gives back the proof, with the id of the session', () => {
    fc.assert(
      fc.property(proofs, (proof) => {
        const text = writeProof(proof);
        expect(read(text)).toEqual({ ...proof, factors: { ...proof.factors }, loginId: '1.id' });
        expect(read(text && asciiJson(text))).toEqual(read(text));
        expect(text === undefined || /^[ -~]{1,1536}$/.test(asciiJson(text))).toBe(true);
      }),
    );
  });

  it('travels in a sealed token', () => {
    const sealer = new TokenSealer(['a secret of at least 32 bytes, for tests']);
    fc.assert(
      fc.property(proofs, (proof) => {
        const text = writeProof(proof);
        const token = sealer.seal({ userId: 7, createdAt: 1, expiresAt: 2, proof: text });
        expect(sealer.open(token)).toMatchObject({ userId: 7, createdAt: 1, expiresAt: 2, proof: text });
        expect(token.length).toBeLessThan(800);
      }),
    );
  });

  it('is absent when there is nothing to store', () => {
    expect(writeProof({ factors: {} })).toBeUndefined();
    expect(writeProof({ factors: {}, loginId: 'x' })).toBeUndefined();
  });

  it.each([
    ['a long user name', { factors: {}, actor: { userId: 1, username: 'x'.repeat(500) } }],
    ['a time before 1970', { factors: {}, expiresAt: -1 }],
    ['17 factors', { factors: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, 1])) }],
  ])('is refused for %s', (_what, proof) => {
    expect(() => writeProof(proof)).toThrow(IllegalStateException);
  });

  it('takes exactly 512 bytes', () => {
    const proofOf = (username: string) => ({ factors: {}, actor: { userId: 1, username } });
    const rest = Buffer.byteLength(writeProof(proofOf('')) as string);
    expect(Buffer.byteLength(writeProof(proofOf('x'.repeat(512 - rest))) as string)).toBe(512);
    expect(() => writeProof(proofOf(`${'x'.repeat(511 - rest)}\u00e9`))).toThrow('more than 512 bytes');
  });

  it.each([
    '',
    '{',
    'null',
    '{"factors":null}',
    '{"factors":{"password":"1700000000"}}',
    '{"factors":{"password":1,"__proto__":1}}',
    '{"factors":{"password":1},"expiresAt":"never"}',
    '{"factors":{"password":1},"actor":7}',
    '{"factors":{"password":1},"actor":{"userId":{},"username":"x"}}',
    '{"factors":{"password":1},"actor":{"userId":7}}',
  ])('tells nothing when it is %j', (text) => {
    expect(read(text)).toEqual(NOTHING);
  });

  it('never fails, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        expect(read(text).loginId).toBe('1.id');
      }),
    );
    expect(read({ factors: {} } as unknown as string)).toEqual(NOTHING); // a column of the type json
  });

  it('is read once', () => {
    const reader = new ProofReader();
    const text = writeProof({ factors: { password: 1_700_000_000 } });
    expect(reader.read('1.a', text).factors).toBe(reader.read('1.b', text).factors);
    expect(Object.isFrozen(reader.read('1.a', text).factors)).toBe(true);
    for (let i = 0; i < 2500; i++) {
      expect(reader.read('1.a', writeProof({ factors: { password: i } })).factors).toEqual({ password: i });
    }
  });
});

describe('the end of a login', () => {
  it('is in milliseconds', () => {
    expect(endOfLogin({ factors: {}, expiresAt: 1_700_000_000 })).toBe(1_700_000_000_000);
    expect(endOfLogin({ factors: {} })).toBe(Infinity);
  });
});
