import {
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  sign,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isSignatureAlgorithm,
  keyProblem,
  type SignatureAlgorithm,
  signWith,
  VerificationKey,
} from './algorithms.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const PAIRS: Readonly<Record<SignatureAlgorithm, KeyPairKeyObjectResult>> = {
  EdDSA: generateKeyPairSync('ed25519'),
  Ed25519: generateKeyPairSync('ed25519'),
  ES256: curve('P-256'),
  ES384: curve('P-384'),
  ES512: curve('P-521'),
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
};
const ALGORITHMS = Object.keys(PAIRS) as SignatureAlgorithm[];
const BYTES: Partial<Record<SignatureAlgorithm, number>> = {
  EdDSA: 64,
  Ed25519: 64,
  ES256: 64,
  ES384: 96,
  ES512: 132,
};
const INPUT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI3In0';

/** The number of points of the curve. */
const N = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  EdDSA: 2n ** 252n + 27742317777372353535851937790883648493n,
};

/** What the keys of an algorithm are for: all algorithms of RSA take the same keys, and EdDSA is the older name of Ed25519. */
const kindOf = (alg: SignatureAlgorithm) =>
  alg.startsWith('ES') ? alg : alg.startsWith('Ed') ? 'OKP' : 'RSA';
const verifierOf = (alg: SignatureAlgorithm) => new VerificationKey(alg, PAIRS[alg].publicKey);
const signatureOf = (alg: SignatureAlgorithm, input = INPUT) => signWith(alg, PAIRS[alg].privateKey, input);
const isRight = (alg: SignatureAlgorithm, signature: Buffer, input = INPUT) =>
  verifierOf(alg).verify(input, signature.toString('base64url'));

function bytesOf(value: bigint, length = 32): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

/** A public key of RSA with these numbers. */
function rsaKey(modulus: bigint, exponent: bigint): KeyObject {
  const text = (value: bigint) =>
    bytesOf(value, Math.ceil(value.toString(16).length / 2)).toString('base64url');
  return createPublicKey({ key: { kty: 'RSA', n: text(modulus), e: text(exponent) }, format: 'jwk' });
}

describe.each(ALGORITHMS)('%s', (alg) => {
  const signed = (input: string) => ({ input, signature: signatureOf(alg, input) });

  it('verifies what it has signed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }).map(signed), ({ input, signature }) => {
        expect(isRight(alg, signature, input)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('verifies nothing else: one bit less or more makes a signature wrong', () => {
    const signature = signatureOf(alg);
    fc.assert(
      fc.property(fc.nat(signature.length * 8 - 1), (bit) => {
        const changed = Buffer.from(signature);
        (changed[bit >>> 3] as number) ^= 1 << (bit & 7);
        expect(isRight(alg, changed)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.nat(INPUT.length * 8 - 1), (bit) => {
        const changed = Buffer.from(INPUT);
        (changed[bit >>> 3] as number) ^= 1 << (bit & 7);
        expect(isRight(alg, signature, changed.toString('latin1'))).toBe(false);
      }),
    );
  });

  it('reads one spelling of a signature', () => {
    const verifier = verifierOf(alg);
    const signature = signatureOf(alg).toString('base64url');
    const last = signature.at(-1) as string;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const other of [...alphabet, '+', '/', '=', ' ', '\n', '\0', '\u00e9', '\ud83d'].filter(
      (it) => it !== last,
    )) {
      expect([other, verifier.verify(INPUT, signature.slice(0, -1) + other)]).toEqual([other, false]);
    }
    const standard = signature.replaceAll('-', '+').replaceAll('_', '/');
    const longer = ['=', '==', 'A'].map((end) => signature + end);
    for (const other of ['', ...longer, ` ${signature}`, signature.slice(1)]) {
      expect(verifier.verify(INPUT, other)).toBe(false);
    }
    expect(verifier.verify(INPUT, standard)).toBe(standard === signature);
    expect(verifier.verify(INPUT, signature)).toBe(true);
  });

  it('refuses signatures of another length, of zeros and of ones', () => {
    const bytes = BYTES[alg] ?? 256;
    for (const length of [0, 1, bytes - 1, bytes, bytes + 1, 2 * bytes]) {
      expect(isRight(alg, Buffer.alloc(length))).toBe(false);
      expect(isRight(alg, Buffer.alloc(length, 255))).toBe(false);
    }
    expect(signatureOf(alg)).toHaveLength(bytes);
  });

  it('refuses the signature of another key, and of each other algorithm', () => {
    for (const other of ALGORITHMS.filter((it) => it !== alg)) {
      expect([other, isRight(alg, signatureOf(other))]).toEqual([other, false]);
    }
  });

  it('takes keys of its own type and curve', () => {
    expect(isSignatureAlgorithm(alg)).toBe(true);
    for (const other of ALGORITHMS) {
      const isTaken = kindOf(other) === kindOf(alg);
      for (const key of [PAIRS[other].publicKey, PAIRS[other].privateKey]) {
        expect([other, keyProblem(alg, key) === undefined]).toEqual([other, isTaken]);
      }
    }
  });
});

describe('no algorithm', () => {
  it.each<[string, unknown[]]>([
    ['none', ['none', 'None', '', undefined, null]],
    ['that of a secret, or of another curve', ['HS256', 'HS512', 'ES256K', 'Ed448']],
    ['another spelling, or a list', ['es256', 7, ['ES256']]],
    ['a member of every object', ['toString', '__proto__']],
  ])('is %s', (_what, names) => expect(names.filter(isSignatureAlgorithm)).toEqual([]));

  const publicOf = ({ publicKey }: KeyPairKeyObjectResult) => publicKey;
  const long = 2n ** 2047n + 1n;
  it.each<[SignatureAlgorithm, () => KeyObject, string]>([
    ['RS256', () => createSecretKey(Buffer.alloc(32)), 'is a key of the type symmetric, but RS256 needs rsa'],
    ['EdDSA', () => publicOf(generateKeyPairSync('ed448')), 'of the type ed448, but EdDSA needs ed25519'],
    ['EdDSA', () => publicOf(generateKeyPairSync('x25519')), 'is a key of the type x25519'],
    ['RS256', () => publicOf(generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 })), 'dsa'],
    ['PS256', () => publicOf(generateKeyPairSync('rsa-pss', { modulusLength: 2048 })), 'of the type rsa-pss'],
    ['ES256', () => publicOf(curve('secp256k1')), 'of the curve secp256k1, but ES256 needs prime256v1'],
    ['ES256', () => PAIRS.ES384.publicKey, 'of the curve secp384r1, but ES256 needs prime256v1'],
    ['RS256', () => rsaKey(2n ** 2046n + 1n, 65537n), 'has 2047 bits, but RSA keys need 2048 to 8192'],
    ['RS256', () => rsaKey(187n, 3n), 'has 8 bits'],
    ['PS512', () => rsaKey(2n ** 8192n + 1n, 65537n), 'has 8193 bits'],
    ['RS256', () => rsaKey(2n ** 16383n + 1n, 65537n), 'has 16384 bits'],
    ['RS256', () => rsaKey(long, 1n), 'has a public exponent that is not secure'],
    ['RS256', () => rsaKey(long, 65536n), 'has a public exponent'],
    ['PS256', () => rsaKey(long, 2n ** 32n + 1n), 'has a public exponent'],
  ])('takes this key for %s: %s, which %s', (alg, key, problem) => {
    expect(keyProblem(alg, key())).toContain(problem);
  });
});

describe('RSA', () => {
  it.each<[string, bigint, bigint]>([
    ['2,048 bits', 2n ** 2047n + 1n, 65537n],
    ['8,192 bits', 2n ** 8191n + 1n, 65537n],
    ['e = 3', 2n ** 2047n + 1n, 3n],
    ['the longest e', 2n ** 2047n + 1n, 2n ** 32n - 1n],
  ])('takes a key of %s', (_name, modulus, exponent) => {
    expect(keyProblem('RS256', rsaKey(modulus, exponent))).toBeUndefined();
  });
});

describe('signatures of', () => {
  const ecdsa = (r: bigint, s: bigint) => isRight('ES256', Buffer.concat([bytesOf(r), bytesOf(s)]));
  const signature = signatureOf('ES256');
  const [r, s] = [numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32))];
  const n = N.ES256;

  it('ECDSA have numbers of the group', () => {
    expect(ecdsa(r, s)).toBe(true);
    const wrong = [0n, 1n, n - 1n, n, n + 1n, 2n ** 256n - 1n];
    for (const number of wrong) {
      const accepted = [ecdsa(number, s), ecdsa(r, number), ecdsa(number, number)];
      expect([number, ...accepted]).toEqual([number, false, false, false]);
    }
    expect([ecdsa(s, r), ecdsa(n - r, s)]).toEqual([false, false]);
  });

  it('ECDSA come in two forms, so that nothing may be keyed by the text of a token', () => {
    expect(ecdsa(r, n - s)).toBe(true);
  });

  it.each(['ES256', 'ES384', 'ES512'] as const)('%s in DER are refused', (alg) => {
    const hash = { ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' }[alg];
    const length = BYTES[alg] as number;
    const der = sign(hash, Buffer.from(INPUT), PAIRS[alg].privateKey);
    expect(isRight(alg, der)).toBe(false);
    expect(isRight(alg, der.subarray(0, length))).toBe(false);
  });

  it('EdDSA have an S below the order of the group', () => {
    const signature = signatureOf('EdDSA');
    const s = numberOf(Buffer.from(signature.subarray(32)).reverse());
    const withS = (value: bigint) => Buffer.concat([signature.subarray(0, 32), bytesOf(value).reverse()]);
    expect(isRight('EdDSA', withS(s))).toBe(true);
    for (const value of [0n, N.EdDSA, s + N.EdDSA, s + 2n * N.EdDSA, 2n ** 256n - 1n]) {
      expect(isRight('EdDSA', withS(value))).toBe(false);
    }
  });

  it('RSA are numbers below the modulus', () => {
    const modulus = numberOf(Buffer.from(String(rsa.publicKey.export({ format: 'jwk' }).n), 'base64url'));
    const signature = numberOf(signatureOf('RS256'));
    expect(isRight('RS256', bytesOf(signature, 256))).toBe(true);
    const wrong = [0n, 1n, modulus, modulus - 1n, modulus - signature, signature + modulus];
    for (const value of wrong.filter((it) => it < 2n ** 2048n)) {
      expect(isRight('RS256', bytesOf(value, 256))).toBe(false);
      expect(isRight('PS256', bytesOf(value, 256))).toBe(false);
    }
  });

  it('PSS have a salt as long as the hash', () => {
    const withSalt = (saltLength: number) =>
      sign('sha256', Buffer.from(INPUT), { key: rsa.privateKey, padding: 6, saltLength });
    expect(isRight('PS256', withSalt(32))).toBe(true);
    for (const length of [0, 20, 31, 33, 222]) {
      expect(isRight('PS256', withSalt(length))).toBe(false);
    }
  });

  it('RSA have the length of the modulus, also if it is no multiple of eight bits', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2050 });
    const verifier = new VerificationKey('RS256', publicKey);
    const signature = signWith('RS256', privateKey, INPUT).toString('base64url');
    expect([verifier.signatureLength, verifier.verify(INPUT, signature)]).toEqual([343, true]);
  });
});
