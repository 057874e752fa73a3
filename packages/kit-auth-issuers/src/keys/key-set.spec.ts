import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { publicJwkOf, type SignatureAlgorithm } from 'kit-auth/tools';
import { pairOf } from 'test-support';
import { KeySet } from './key-set.js';

const ALGORITHMS: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const ec = () => pairOf('ES256').privateKey;
const jwk = (key: KeyObject, more: object = {}) => ({ ...publicJwkOf(key), ...more });
const setOf = (...keys: object[]) => new KeySet({ keys }, ALGORITHMS);
const RSA = pairOf('RS256').privateKey;
const EC = jwk(ec());

describe('a key set', () => {
  it('finds keys by their id, for the algorithms that they fit', () => {
    const set = setOf(jwk(RSA, { kid: 'a' }), jwk(ec(), { kid: 'b', alg: 'ES256' }));
    const found = ['RS256', 'PS256', 'ES256', 'RS384', 'none', undefined].map((alg) =>
      ['a', 'b', 'c'].map((kid) => set.candidates(kid, alg).length),
    );
    expect(found.map(String)).toEqual(['1,0,0', '1,0,0', '0,1,0', '0,0,0', '0,0,0', '0,0,0']);
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

  it.each<[string, () => object]>([
    ['symmetric', () => ({ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' })],
    ['for encryption', () => ({ ...EC, use: 'enc' })],
    ['for other operations', () => ({ ...EC, key_ops: ['encrypt'] })],
    ['for no algorithm of signatures', () => ({ ...EC, alg: 'ECDH-ES' })],
    ['for another algorithm', () => ({ ...EC, alg: 'RS256' })],
    ['on another curve', () => ({ ...EC, crv: 'P-384' })],
    ['with a number', () => ({ ...EC, x: 7 })],
    ['with a list as kid', () => ({ ...EC, kid: ['a'] })],
    ['RSA of 1,024 bits', () => jwk(rsa(1024))],
  ])('has no keys that are %s, and others beside them', (_what, key) => {
    const set = setOf({ kid: 'a', ...key() }, null!, 7 as never, 'x' as never, [], {}, { ...EC, kid: 'b' });
    expect([set.hasKid('a'), set.hasKid('b'), set.size]).toEqual([false, true, 1]);
  });

  it('has keys for the operation verify', () => {
    expect(setOf({ ...EC, kid: 'a', use: undefined, key_ops: ['verify'] }).hasKid('a')).toBe(true);
  });

  it('never has private keys', () => {
    const set = setOf({ ...ec().export({ format: 'jwk' }), kid: 'private' });
    expect(set.candidates('private', 'ES256')[0]?.key.type).toBe('public');
  });
});
