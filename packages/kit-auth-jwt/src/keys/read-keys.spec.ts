import { createPublicKey, createSecretKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IllegalStateException, type JwtKey, type KitAuthSettings } from 'kit-auth';
import { thumbprintOf } from 'kit-auth/tools';
import { freezeDate, PAIR_ALGORITHMS as ALGORITHMS, type PairAlgorithm, pairOf } from 'test-support';
import { JwtKeys } from '../jwt.keys.js';
import { readKeys } from './read-keys.js';

type Options = Partial<KitAuthSettings['jwt']>;

const PAIRS = { EdDSA: pairOf('EdDSA'), ES256: pairOf('ES256'), RS256: pairOf('RS256') };
const SECRET = 's'.repeat(32);
const DAY = 86_400;

const keysOf = (jwt: Options, extensionTimeoutMs = 5000) =>
  new JwtKeys({ jwt: { issuer: 'us', ...jwt }, extensionTimeoutMs } as KitAuthSettings);
const jwkOf = (alg: PairAlgorithm) => PAIRS[alg].privateKey.export({ format: 'jwk' });
const pem = (alg: PairAlgorithm) => PAIRS[alg].privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const publicPem = (alg: PairAlgorithm) =>
  PAIRS[alg].publicKey.export({ format: 'pem', type: 'spki' }) as string;
const oct = (bytes: number) => ({ kty: 'oct', k: Buffer.alloc(bytes, 7).toString('base64url') });

const problemOf = (...keys: JwtKey[]): string => {
  try {
    readKeys(keys, 1000);
  } catch (error) {
    expect(error).toBeInstanceOf(IllegalStateException);
    return (error as Error).message;
  }
  return '';
};
const startUpProblem = (jwt: Options, lifetime = DAY): string => {
  try {
    keysOf(jwt).check(lifetime);
  } catch (error) {
    expect(error).toBeInstanceOf(IllegalStateException);
    return (error as Error).message;
  }
  return '';
};

/** Every way to give a key pair, or the public key alone. */
const forms = (alg: PairAlgorithm): [name: string, key: JwtKey['key'], canSign: boolean][] => [
  ['PEM', pem(alg), true],
  ['a JWK', jwkOf(alg), true],
  ['the JSON of a JWK', JSON.stringify(jwkOf(alg)), true],
  ['a KeyObject', PAIRS[alg].privateKey, true],
  ['a signer', { publicKey: publicPem(alg), sign: async () => new Uint8Array() }, true],
  ['a signer with the private key', { publicKey: pem(alg), sign: async () => new Uint8Array() }, true],
  ['public PEM', publicPem(alg), false],
  ['a public JWK', PAIRS[alg].publicKey.export({ format: 'jwk' }), false],
  ['a public KeyObject', PAIRS[alg].publicKey, false],
];

describe.each(ALGORITHMS)('a key for %s', (alg) => {
  it.each(forms(alg))('is read from %s, and its JWK has no private member', (_name, key, canSign) => {
    const [read] = readKeys([{ alg, key }], 1000);
    expect(read).toMatchObject({ kid: thumbprintOf(PAIRS[alg].publicKey), canSign });
    const jwk = read?.jwk as Record<string, string>;
    const { kid, use, alg: named, ...members } = jwk;
    expect([kid, use, named]).toEqual([read?.kid, 'sig', alg]);
    expect(Object.keys(members)).toEqual(
      expect.arrayContaining(
        { EdDSA: ['crv', 'kty', 'x'], ES256: ['crv', 'kty', 'x', 'y'], RS256: ['e', 'kty', 'n'] }[alg],
      ),
    );
    expect(createPublicKey({ key: members as JsonWebKey, format: 'jwk' }).equals(PAIRS[alg].publicKey)).toBe(
      true,
    );
    const material = Object.entries(jwkOf(alg)).filter(([name]) => !(name in jwk));
    expect(material.length).toBeGreaterThan(0);
    for (const [name, value] of material) {
      expect(jwk).not.toHaveProperty(name);
      expect(JSON.stringify(jwk)).not.toContain(value);
    }
  });

  it.each([
    ['a secret', SECRET],
    ['broken PEM', pem(alg).slice(0, 60)],
    ['a signer without a public key', { sign: async () => new Uint8Array() }],
    ...ALGORITHMS.filter((other) => other !== alg).map((other): [string, JwtKey['key']] => [
      other,
      jwkOf(other),
    ]),
  ])('cannot be %s', (_name, key) => {
    const message = problemOf({ kid: '2026-11', alg, key: key });
    expect(message).toMatch(/^kit\.auth\.jwt\.keys: the key 2026-11 /);
    expect(message).not.toMatch(/sss|BEGIN|AAAA|BwcH/);
  });
});

describe('a key that is not secure', () => {
  it('is an RSA key of 2,047 bits', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2047 });
    expect(problemOf({ kid: 'a', alg: 'RS256', key: privateKey })).toBe(
      'kit.auth.jwt.keys: the key a has 2047 bits, but RSA keys need 2048 to 8192. Set the alg that fits, or a key that ' +
        '"npx kit-auth jwt-key" prints',
    );
  });

  it('has halves that do not belong together', () => {
    const other = pairOf('ES256').privateKey.export({ format: 'jwk' });
    const key = { ...jwkOf('ES256'), d: other.d } as JsonWebKey;
    expect(problemOf({ kid: 'a', alg: 'ES256', key })).toContain('private part of another key');
    const { n } = pairOf('RS256').publicKey.export({ format: 'jwk' });
    expect(problemOf({ kid: 'a', alg: 'RS256', key: { ...jwkOf('RS256'), n } as JsonWebKey })).toMatch(
      /the key a (?:has a private part of another key|cannot be read)/,
    );
  });
});

describe('a key for HS256', () => {
  it.each([
    ['a text', SECRET],
    ['a text that begins like JSON', `{${SECRET}`],
    ['an oct JWK', oct(32)],
    ['the JSON of one', JSON.stringify(oct(32))],
    ['a KeyObject', createSecretKey(Buffer.alloc(32))],
  ])('is %s, and is not published', (_name, key) => {
    expect(readKeys([{ kid: 'a', alg: 'HS256', key }], 1000)).toMatchObject([
      { kid: 'a', jwk: undefined, canSign: true },
    ]);
    expect(keysOf({ keys: [{ kid: 'a', alg: 'HS256', key }] }).ring.published()).toEqual([]);
  });

  it.each([
    ['31 bytes', 's'.repeat(31)],
    ['an oct JWK of 31 bytes', oct(31)],
    ['a KeyObject of 31 bytes', createSecretKey(Buffer.alloc(31))],
    ['an oct JWK that is not base64url', { kty: 'oct', k: `${'A'.repeat(43)}=` }],
    ['an oct JWK without k', { kty: 'oct' }],
    ['bytes', Buffer.alloc(32, 7) as unknown as JsonWebKey],
    ...ALGORITHMS.flatMap((alg) =>
      forms(alg).map(([name, key]): [string, JwtKey['key']] => [`${alg}: ${name}`, key]),
    ),
  ])('is not %s', (_name, key) => {
    const message = problemOf({ kid: 'a', alg: 'HS256', key: key });
    expect(message).toMatch(/^kit\.auth\.jwt\.keys: the key a (?:is no secret|has 31 bytes)/);
    expect(message).not.toMatch(/sss|BEGIN|AAAA|BwcH/);
  });
});

describe('the keys of an application', () => {
  const now = Math.floor(Date.now() / 1000);
  const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString();
  beforeEach(() => void freezeDate(now * 1000));
  afterEach(() => void jest.useRealTimers());
  const key = (more: Partial<JwtKey> = {}): JwtKey => ({
    kid: 'a',
    alg: 'EdDSA',
    key: jwkOf('EdDSA'),
    ...more,
  });

  it('may be one key that signs', () => expect(startUpProblem({ keys: [key()] })).toBe(''));

  it.each([
    ['two keys of one kid', [key(), key({ alg: 'ES256', key: jwkOf('ES256') })], 'two keys with the kid a'],
    [
      'one key twice, by its thumbprint',
      [
        { alg: 'EdDSA', key: pem('EdDSA') },
        { alg: 'EdDSA', key: publicPem('EdDSA') },
      ],
      'two keys',
    ],
    ['none that signs yet', [key({ next: true })], 'no key that signs'],
    ['a public key alone', [key({ key: publicPem('EdDSA') })], 'no key that signs'],
    ['a key that has ended', [key({ until: at(-1) })], 'no key that signs'],
    [
      'a signing key that ends before its tokens',
      [key({ until: at(DAY - 60) })],
      'the key a signs, but its until',
    ],
  ] as [string, JwtKey[], string][])('are not %s', (_name, keys, problem) =>
    expect(startUpProblem({ keys })).toContain(problem),
  );

  it('may have an end after the longest token', () =>
    expect(startUpProblem({ keys: [key({ until: at(DAY + 60) })] })).toBe(''));

  it('need an issuer if others can verify tokens', () => {
    expect(startUpProblem({ keys: [key()], issuer: undefined })).toContain('set kit.auth.jwt.issuer');
    expect(startUpProblem({ keys: [{ kid: 'a', alg: 'HS256', key: SECRET }], issuer: undefined })).toBe('');
  });

  it('may all be next while the secret signs', () => {
    const moving = { keys: [key({ next: true })], secret: SECRET, legacyUntil: at(DAY) };
    expect(startUpProblem(moving)).toBe('');
    expect(startUpProblem({ ...moving, secret: undefined })).toContain('no key that signs');
    expect(startUpProblem({ ...moving, legacyUntil: undefined })).toContain('no key that signs');
    expect(startUpProblem({ ...moving, legacyUntil: at(-1) })).toContain('no key that signs');
    expect(startUpProblem({ ...moving, secret: 'short' })).toContain('kit.auth.jwt.secret has 5 bytes');
  });

  it('make the length of an unused secret irrelevant', () =>
    expect(startUpProblem({ keys: [key()], secret: 'short' })).toBe(''));

  it('have roles, which the log names', () => {
    const other = (kid: string, more: Partial<JwtKey> = {}) =>
      key({ kid, key: pairOf('EdDSA').privateKey, ...more });
    const until = '2999-12-01T00:00:00Z';
    const keys = [
      other('gone', { until: at(-1) }),
      other('now'),
      other('old', { until }),
      other('new', { next: true }),
    ];
    expect(keysOf({ keys }).ring.roles()).toEqual([
      'key gone has ended',
      'key now signs',
      'key old is accepted until 2999-12-01T00:00:00.000Z',
      'key new is next',
    ]);
  });

  it('have roles beside that of the secret during a move', () => {
    const legacyUntil = '2999-12-01T00:00:00Z';
    const rolesOf = (next: boolean) =>
      keysOf({ keys: [key({ next })], secret: SECRET, legacyUntil }).ring.roles();
    expect(rolesOf(true)).toEqual([
      'key a is next',
      'kit.auth.jwt.secret signs until 2999-12-01T00:00:00.000Z',
    ]);
    expect(rolesOf(false)).toEqual([
      'key a signs',
      'kit.auth.jwt.secret is accepted until 2999-12-01T00:00:00.000Z',
    ]);
  });

  it('have placeholders only where the published secret is used', () => {
    const placeholder = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';
    const moving = { keys: [key()], legacyUntil: at(DAY) };
    expect(keysOf({}).placeholders).toEqual(['kit.auth.jwt.secret']);
    expect(keysOf({ secret: SECRET }).placeholders).toEqual([]);
    expect(keysOf({ keys: [key()] }).placeholders).toEqual([]);
    expect(keysOf(moving).placeholders).toEqual([]);
    expect(keysOf({ ...moving, secret: placeholder }).placeholders).toEqual([]);
    expect(keysOf({ ...moving, secret: placeholder }).ring.secret).toBeUndefined();
    const inList: JwtKey = { kid: 'a', alg: 'HS256', key: placeholder };
    expect(keysOf({ keys: [inList] }).placeholders).toEqual(['kit.auth.jwt.keys']);
  });
});
