import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { publicJwkOf, type SignatureAlgorithm } from 'kit-auth/jws';
import { KeySet } from './key-set.js';

const ALGORITHMS: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const jwk = (key: KeyObject, more: object = {}) => ({ ...publicJwkOf(key), ...more });
const setOf = (...keys: object[]) => new KeySet({ keys }, ALGORITHMS);
const RSA = rsa(2048);

describe('a key set', () => {
  it('finds keys by their id, for the algorithms that they fit', () => {
    const set = setOf(jwk(RSA, { kid: 'a' }), jwk(ec(), { kid: 'b', alg: 'ES256' }));
    const found = ['RS256', 'PS256', 'ES256', 'RS384', 'none', undefined].map((alg) =>
      ['a', 'b', 'c'].map((kid) => set.candidates(kid, alg).length),
    );
    expect(found).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('finds the only key for tokens without an id', () => {
    const set = setOf(jwk(RSA, { kid: 'a' }), jwk(ec()), jwk(ec()));
    expect([set.candidates(undefined, 'RS256').length, set.candidates(undefined, 'ES256').length]).toEqual([
      1, 0,
    ]);
  });

  it('finds all keys of an id', () => {
    const set = setOf(jwk(ec(), { kid: 'a' }), jwk(ec(), { kid: 'a' }));
    expect(set.candidates('a', 'ES256')).toHaveLength(2);
  });

  it('does not have so many keys of an id that tokens take long to verify', () => {
    const set = setOf(...Array.from({ length: 100 }, () => jwk(ec(), { kid: 'a' })));
    expect(set.candidates('a', 'ES256')).toHaveLength(4);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('finds nothing for the id %j', (kid) => {
    const set = setOf(jwk(RSA, { kid: 'a' }));
    expect([set.hasKid(kid), set.candidates(kid, 'RS256')]).toEqual([false, []]);
  });

  it('has no keys that are too short or too long, and never private ones', () => {
    const set = setOf(
      jwk(rsa(1024), { kid: 'short' }),
      { kty: 'RSA', kid: 'long', e: 'AQAB', n: Buffer.alloc(2048, 0xff).toString('base64url') },
      { ...ec().export({ format: 'jwk' }), kid: 'private' },
    );
    expect(['short', 'long', 'private'].map((kid) => set.hasKid(kid))).toEqual([false, false, true]);
    expect(set.candidates('private', 'ES256')[0]?.key.type).toBe('public');
  });
});
