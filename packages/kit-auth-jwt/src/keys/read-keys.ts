import { createSecretKey, type JsonWebKey, KeyObject } from 'node:crypto';
import { IllegalStateException, type JwtKey, type JwtSigner } from 'kit-auth';
import {
  keyFrom,
  keyProblem,
  publicJwkOf,
  publicKeyOf,
  signWith,
  thumbprintOf,
  VerificationKey,
} from 'kit-auth/tools';
import { AsymmetricKey, RemoteSigner } from './asymmetric-key.js';
import { RingKey } from './key-ring.js';
import { SecretKey } from './secret-key.js';

type Material = Exclude<JwtKey['key'], JwtSigner>;

/** RFC 7518 section 3.2: the key is at least as long as the hash. */
export const MIN_SECRET_BYTES = 32;

/**
 * Reads `kit.auth.jwt.keys`.
 *
 * @param timeoutMs for signers
 * @throws IllegalStateException that names the key, and contains none of its material
 */
export function readKeys(keys: readonly JwtKey[], timeoutMs: number): RingKey[] {
  const ring = keys.map((key, index) => {
    try {
      return key.alg === 'HS256' ? readSecret(key) : readPair({ ...key, alg: key.alg }, timeoutMs);
    } catch (error) {
      const name = key.kid ?? `number ${index + 1}`;
      throw new IllegalStateException(`kit.auth.jwt.keys: the key ${name} ${(error as Error).message}`);
    }
  });
  const twice = ring.find(({ kid }, index) => ring.findIndex((other) => other.kid === kid) !== index);
  if (twice !== undefined) {
    throw new IllegalStateException(
      `kit.auth.jwt.keys has two keys with the kid ${twice.kid}: give each its own kid, or remove one of them`,
    );
  }
  return ring;
}

function readSecret({ kid, key, ...role }: JwtKey): RingKey {
  const secret = secretOf(key);
  if (secret === undefined) {
    throw new Error(
      'is no secret, which HS256 needs: set a text, a JWK of the type oct, or a secret KeyObject',
    );
  }
  const bytes = secret.symmetricKeySize ?? 0;
  if (bytes < MIN_SECRET_BYTES) {
    throw new Error(
      `has ${bytes} bytes; HS256 needs at least ${MIN_SECRET_BYTES}. Generate one, for example with: npx kit-auth secret`,
    );
  }
  return new RingKey(new SecretKey(secret, kid), { ...role, kid });
}

/** The secret of a key. Undefined for asymmetric and invalid keys. */
function secretOf(key: JwtKey['key']): KeyObject | undefined {
  if (key instanceof KeyObject) {
    return key.type === 'secret' ? key : undefined;
  }
  const given = typeof key === 'string' ? (jwkIn(key) ?? key) : key;
  if (typeof given === 'string') {
    return given.includes('-----BEGIN ') ? undefined : createSecretKey(Buffer.from(given));
  }
  const { kty, k } = given as JsonWebKey;
  const bytes = kty === 'oct' && typeof k === 'string' ? Buffer.from(k, 'base64url') : undefined;
  return bytes !== undefined && bytes.toString('base64url') === k ? createSecretKey(bytes) : undefined;
}

/** The JWK in a string. Undefined for other strings: a secret may look like JSON. */
function jwkIn(text: string): JsonWebKey | undefined {
  try {
    const value = JSON.parse(text) as JsonWebKey | null;
    return typeof value?.kty === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

type PairKey = JwtKey & Pick<AsymmetricKey, 'alg'>;

function readPair({ alg, kid, key, ...role }: PairKey, timeoutMs: number): RingKey {
  const signer = isSigner(key) ? key : undefined;
  const given = keyFromMaterial(isSigner(key) ? key.publicKey : key);
  const object = signer === undefined ? given : publicKeyOf(given);
  const problem = keyProblem(alg, object) ?? pairProblem(alg, object);
  if (problem !== undefined) {
    throw new Error(`${problem}. Set the alg that fits, or a key that "npx kit-auth jwt-key" prints`);
  }
  const name = kid ?? thumbprintOf(object);
  const remote = signer && new RemoteSigner(name, signer, timeoutMs);
  const jwk = { ...publicJwkOf(object), kid: name, alg, use: 'sig' };
  return new RingKey(new AsymmetricKey(alg, name, object, remote), { ...role, kid: name, jwk });
}

/** `node:crypto` imports a JWK whose halves do not match, but its tokens could not be verified. */
function pairProblem(alg: AsymmetricKey['alg'], key: KeyObject): string | undefined {
  return key.type === 'public' || isPair(alg, key)
    ? undefined
    : 'has a private part of another key than its public part';
}

function isPair(alg: AsymmetricKey['alg'], key: KeyObject): boolean {
  try {
    const signature = signWith(alg, key, '').toString('base64url');
    return new VerificationKey(alg, publicKeyOf(key)).verify('', signature);
  } catch {
    return false;
  }
}

function keyFromMaterial(material: Material): KeyObject {
  try {
    return keyFrom(material);
  } catch {
    throw new Error(
      'cannot be read: set PEM with line breaks (not the text "\\n"), a JWK or a KeyObject of an asymmetric key, without a passphrase',
    );
  }
}

function isSigner(key: JwtKey['key']): key is JwtSigner {
  return typeof key === 'object' && typeof (key as Partial<JwtSigner>).sign === 'function';
}
