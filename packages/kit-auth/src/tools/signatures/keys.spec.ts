import {
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyFrom, type KeyInput, publicJwkOf, publicKeyOf, thumbprintOf } from './keys.js';

const PAIRS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const KINDS = Object.keys(PAIRS) as (keyof typeof PAIRS)[];
const PUBLIC_MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'];

const jwkOf = (key: KeyObject): JsonWebKey => key.export({ format: 'jwk' });
const pem = (key: KeyObject, type: string) => key.export({ type: type as 'spki', format: 'pem' }).toString();

/** All forms in which a key may come. */
function formsOf({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): {
  publicForms: KeyInput[];
  privateForms: KeyInput[];
} {
  const jwk = { ...jwkOf(privateKey), kid: 'x', use: 'sig', key_ops: ['sign'] };
  const pkcs8 = pem(privateKey, 'pkcs8');
  return {
    publicForms: [publicKey, jwkOf(publicKey), JSON.stringify(jwkOf(publicKey)), pem(publicKey, 'spki')],
    privateForms: [privateKey, jwk, ` \n${JSON.stringify(jwk, null, 2)}\n`, pkcs8, `\n${pkcs8}`],
  };
}

describe.each(KINDS)('a key for %s', (kind) => {
  const pair = PAIRS[kind];
  const { publicForms, privateForms } = formsOf(pair);

  it('is the same in all forms', () => {
    for (const key of privateForms.map(keyFrom)) {
      expect([key.type, key.equals(pair.privateKey)]).toEqual(['private', true]);
      expect(publicKeyOf(key).equals(pair.publicKey)).toBe(true);
    }
    for (const key of publicForms.map(keyFrom)) {
      expect([key.type, key.equals(pair.publicKey)]).toEqual(['public', true]);
      expect(publicKeyOf(key)).toBe(key);
    }
  });

  it('is published without any private member, whatever its form', () => {
    const { d, p, q, dp, dq, qi } = jwkOf(pair.privateKey);
    const secrets = [d, p, q, dp, dq, qi].filter((it) => it !== undefined);
    fc.assert(
      fc.property(fc.constantFrom(...publicForms, ...privateForms), (form) => {
        const jwk = publicJwkOf(keyFrom(form));
        expect(PUBLIC_MEMBERS).toEqual(expect.arrayContaining(Object.keys(jwk)));
        expect(createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }).equals(pair.publicKey)).toBe(true);
        expect(secrets.filter((secret) => JSON.stringify(jwk).includes(secret))).toEqual([]);
      }),
    );
  });

  it('has one thumbprint', () => {
    const thumbprints = [...publicForms, ...privateForms].map((form) => thumbprintOf(keyFrom(form)));
    expect(new Set(thumbprints).size).toBe(1);
    expect(thumbprints[0]).toMatch(/^[\w-]{43}$/);
  });
});

describe('a thumbprint', () => {
  it.each<[string, JsonWebKey, string]>([
    [
      'RFC 7638, section 3.1',
      {
        kty: 'RSA',
        n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
        e: 'AQAB',
      },
      'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    ],
    [
      'RFC 8037, appendix A.3',
      { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ],
  ])('is that of %s', (_where, jwk, thumbprint) => {
    expect(thumbprintOf(keyFrom(jwk))).toBe(thumbprint);
  });
});

describe('what is no key is refused without a word about it', () => {
  const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I';
  const { x, y, d } = jwkOf(PAIRS.ES256.privateKey);
  const rsa = jwkOf(PAIRS.RS256.privateKey);

  const pkcs8 = pem(PAIRS.EdDSA.privateKey, 'pkcs8');
  const encryption = { cipher: 'aes-256-cbc', passphrase: 'x' };
  const encrypted = PAIRS.EdDSA.privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption });
  const oct = { kty: 'oct', k: secret };
  const ec = (members: object) => ({ kty: 'EC', crv: 'P-256', ...members });
  const ed25519 = (point: string) => ({ kty: 'OKP', crv: 'Ed25519', x: point });
  const ofRsa = (members: object) => ({ kty: 'RSA', ...members });
  it.each<[string, unknown[]]>([
    ['texts', ['', secret, `{"kty":"oct","k":"${secret}"`]],
    ['broken or encrypted PEM', [pkcs8.slice(0, 60), pkcs8.replace(/\n[^-]+\n/, `\n${secret}\n`), encrypted]],
    ['symmetric keys', [oct, JSON.stringify(oct), createSecretKey(Buffer.from(secret))]],
    ['no type, or another one', [ec({ x, y, d, kty: undefined }), ec({ x, y, d, kty: 'RSA' })]],
    ['an unknown curve', [ec({ x, y, d, crv: 'P-255' })]],
    ['points elsewhere', [ec({ x: y, y: x }), ec({ x: 'AA', y: 'AA' })]],
    ['too much or half of a point', [ec({ x: `${x}AAAA`, y }), ec({ x })]],
    ['Ed25519 of another length', ['AAAA', 'A'.repeat(44)].map(ed25519)],
    ['parts of RSA', [ofRsa({ e: 'AQAB' }), ofRsa({ n: rsa.n })]],
    ['a private key without its primes', [ofRsa({ n: rsa.n, e: rsa.e, d: rsa.d })]],
    ['members that are no text', [ec({ x: 7, y: 7 }), ec({ x, y, d: 7 })]],
    ['nothing like a key', [[ec({ x, y })], undefined, null, 7, Buffer.from(secret)]],
  ])('%s', (_what, inputs) => {
    for (const input of inputs) {
      expect(() => keyFrom(input as KeyInput)).toThrow(
        /^the key cannot be read: it is neither PEM nor a JWK of an asymmetric key$/,
      );
    }
  });

  it('whatever the text', () => {
    const broken = fc.string().map((text) => `{"kty":"oct","k":${text}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), broken), (text) => {
        expect(() => keyFrom(text)).toThrow(/^the key cannot be read: /);
      }),
    );
  });
});
