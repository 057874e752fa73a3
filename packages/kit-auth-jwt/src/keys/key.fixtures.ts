import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { JwtKey, KitAuthSettings } from 'kit-auth';
import { JwtCodec } from '../jwt.codec.js';
import { JwtKeys } from '../jwt.keys.js';

export type PairAlgorithm = Exclude<JwtKey['alg'], 'HS256'>;

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new key pair. */
export function pairOf(alg: PairAlgorithm): Pair {
  switch (alg) {
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

type Options = Partial<KitAuthSettings['jwt']>;

/** The keys of an application with these options. */
export function keysOf(jwt: Options, extensionTimeoutMs = 5000): JwtKeys {
  return new JwtKeys({ jwt: { issuer: 'us', ...jwt }, extensionTimeoutMs } as KitAuthSettings);
}

export function codecOf(jwt: Options, extensionTimeoutMs?: number): JwtCodec {
  return new JwtCodec(keysOf(jwt, extensionTimeoutMs));
}
