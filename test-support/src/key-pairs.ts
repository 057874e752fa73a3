import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';

const KINDS = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export type PairAlgorithm = keyof typeof KINDS;
export const PAIR_ALGORITHMS = Object.keys(KINDS) as PairAlgorithm[];

/** A new key pair for signatures of tokens. */
export function pairOf(alg: PairAlgorithm): KeyPairKeyObjectResult {
  return KINDS[alg]();
}
