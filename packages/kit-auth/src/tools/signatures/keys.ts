import { createPrivateKey, createPublicKey, hash, type JsonWebKey, KeyObject } from 'node:crypto';

/** A key as PEM, as JWK (an object or JSON), or as an object of `node:crypto`. */
export type KeyInput = string | JsonWebKey | KeyObject;

/** The members of a public JWK, in the order of RFC 7638. */
const PUBLIC_MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const;
type PublicMember = (typeof PUBLIC_MEMBERS)[number];

/**
 * Reads an asymmetric key.
 *
 * @returns a private key if the input has one, otherwise a public key
 * @throws Error that says nothing about the input
 */
export function keyFrom(input: KeyInput): KeyObject {
  try {
    if (input instanceof KeyObject) {
      return requireAsymmetric(input);
    }
    const given = typeof input === 'string' && /^\s*\{/.test(input) ? parseJwk(input) : input;
    if (typeof given === 'string') {
      return given.includes('PRIVATE KEY-----') ? createPrivateKey(given) : createPublicKey(given);
    }
    const jwk = { key: given, format: 'jwk' as const };
    return 'd' in given ? createPrivateKey(jwk) : createPublicKey(jwk);
  } catch {
    // Messages of parsers may quote the input.
    throw new Error('the key cannot be read: it is neither PEM nor a JWK of an asymmetric key');
  }
}

function parseJwk(text: string): JsonWebKey {
  return JSON.parse(text) as JsonWebKey;
}

function requireAsymmetric(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === undefined) {
    throw new Error('a symmetric key');
  }
  return key;
}

/** The public key of a private one. */
export function publicKeyOf(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key;
}

/** The members of a JWK that make its public key, as they are given. All others, such as private ones, are left out. */
export function publicMembersOf<T>(jwk: { readonly [name in PublicMember]?: T }): {
  [name in PublicMember]?: T;
} {
  return Object.fromEntries(
    PUBLIC_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])),
  );
}

/** The members of the public JWK of a key, private or public, without `kid`, `alg` and `use`. */
export function publicJwkOf(key: KeyObject): { readonly [name in PublicMember]?: string } {
  return publicMembersOf<string>(publicKeyOf(key).export({ format: 'jwk' }));
}

/** The thumbprint of a key (RFC 7638), which identifies it. */
export function thumbprintOf(key: KeyObject): string {
  return hash('sha256', JSON.stringify(publicJwkOf(key)), 'base64url');
}
