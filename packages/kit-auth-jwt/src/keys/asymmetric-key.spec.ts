import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JwtSigner, KitAuthSettings } from 'kit-auth';
import { loginUser, PAIR_ALGORITHMS, type PairAlgorithm, pairOf } from 'test-support';
import { JwtCodec } from '../jwt.codec.js';
import { JwtKeys } from '../jwt.keys.js';
import { fixedForm } from './asymmetric-key.js';

type Options = Partial<KitAuthSettings['jwt']>;

const PAIRS = { EdDSA: pairOf('EdDSA'), ES256: pairOf('ES256'), RS256: pairOf('RS256') };
const USER = loginUser({ nickname: 'a name that no log shows' });

const keysOf = (jwt: Options, extensionTimeoutMs = 5000) =>
  new JwtKeys({ jwt: { issuer: 'us', ...jwt }, extensionTimeoutMs } as KitAuthSettings);
const codecOf = (jwt: Options, timeoutMs?: number) => new JwtCodec(keysOf(jwt, timeoutMs));

/** Signs as the key management services of clouds do, which know no fixed form. */
const remotely = (alg: PairAlgorithm) => async (data: Uint8Array) =>
  sign(alg === 'EdDSA' ? null : 'sha256', data, PAIRS[alg].privateKey);
const codecWith = (alg: PairAlgorithm, sign: JwtSigner['sign'], extensionTimeoutMs = 5000) =>
  codecOf(
    { keys: [{ kid: 'kms', alg, key: { publicKey: PAIRS[alg].publicKey, sign } }] },
    extensionTimeoutMs,
  );

describe.each(PAIR_ALGORITHMS)('a signer of %s', (alg) => {
  const failure = async (sign: unknown, timeoutMs?: number): Promise<string> => {
    const error: unknown = await codecWith(alg, sign as JwtSigner['sign'], timeoutMs)
      .encode(USER, 60)
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    const { message, stack = '' } = error as Error;
    expect(message).toMatch(/^the key kms of kit\.auth\.jwt\.keys cannot sign: /);
    expect(`${message}${stack}`).not.toMatch(/eyJ|a name that/);
    return message;
  };

  it('signs in the place of a private key', async () => {
    const codec = codecWith(alg, remotely(alg));
    const token = await codec.encode(USER, 60);
    expect(codec.decode(token).claims).toMatchObject(USER);
    expect(token.split('.')[2]).toHaveLength(alg === 'RS256' ? 342 : 86);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'AAAA'],
    ['no bytes', new Uint8Array()],
    ['zeros', new Uint8Array(64)],
    ['an object', { length: 64 }],
  ])('that returns %s signs nothing', async (_name, result) => {
    expect(await failure(async () => result)).toContain('its signer returned no signature of it');
    expect(await failure(() => result)).toContain('its signer returned no signature of it');
  });

  it('of another key signs nothing', async () => {
    const { privateKey } = pairOf(alg);
    const other = async (data: Uint8Array) => sign(alg === 'EdDSA' ? null : 'sha256', data, privateKey);
    expect(await failure(other)).toContain('its signer returned no signature of it');
  });

  it('that signs a digest, not the data, signs nothing', async () => {
    const digested = (data: Uint8Array) => remotely(alg)(createHash('sha256').update(data).digest());
    expect(await failure(digested)).toContain('its signer returned no signature of it');
  });

  it('that throws, or rejects with what it was given, is named in the log, and the data is not', async () => {
    const quoting = (data: Uint8Array) => new Error(`AccessDenied for ${Buffer.from(data).toString()}`);
    expect(
      await failure((data: Uint8Array) => {
        throw quoting(data);
      }),
    ).toContain('AccessDenied for ...');
    expect(await failure((data: Uint8Array) => Promise.reject(quoting(data)))).toContain(
      'AccessDenied for ...',
    );
  });

  it('that hangs fails before the whole login does', async () => {
    expect(await failure(() => new Promise(() => undefined), 100)).toContain(
      'its signer gave no answer in 90 ms',
    );
  });
});

describe('a signature of ES256 in DER', () => {
  it('has the same numbers as the fixed form', () => {
    const key = PAIRS.ES256.privateKey;
    for (let i = 0; i < 100; i++) {
      const data = Buffer.from(String(i));
      const fixed = fixedForm(sign('sha256', data, key)) as Buffer;
      expect(fixed).toHaveLength(64);
      expect(verify('sha256', data, { key: PAIRS.ES256.publicKey, dsaEncoding: 'ieee-p1363' }, fixed)).toBe(
        true,
      );
    }
  });

  it('is nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        fc.pre(bytes[0] !== 0x30);
        expect(fixedForm(Buffer.from(bytes))).toBeUndefined();
      }),
    );
    const integer = (bytes: number[]) => [2, bytes.length, ...bytes];
    const sequence = (...parts: number[][]) => Buffer.from([0x30, parts.flat().length, ...parts.flat()]);
    const long = [1, ...Array<number>(32).fill(0)];
    expect(fixedForm(sequence(integer([1]), integer([0, 0x80])))?.toString('hex')).toBe(
      `${'01'.padStart(64, '0')}${'80'.padStart(64, '0')}`,
    );
    for (const der of [
      sequence(integer([1])),
      sequence(integer(long), integer([1])),
      sequence(integer([1]), integer(long)),
      sequence(integer([1]), integer([1]), [0]),
      sequence([2, 9, 1], integer([1])),
    ]) {
      expect(fixedForm(der)).toBeUndefined();
    }
  });
});

it('a public key is published as its private key is', () => {
  const { privateKey, publicKey } = PAIRS.RS256;
  const published = [privateKey, publicKey].map((key) =>
    keysOf({ keys: [{ alg: 'RS256', key }] }).ring.published(),
  );
  expect(published[0]).toEqual(published[1]);
  expect(createPublicKey({ key: published[0]![0]!, format: 'jwk' }).equals(publicKey)).toBe(true);
});
