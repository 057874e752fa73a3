import { constants, type KeyObject, sign, verify } from 'node:crypto';

interface Algorithm {
  /** The value of `KeyObject.asymmetricKeyType`. */
  readonly type: 'ed25519' | 'ec' | 'rsa';
  /** EdDSA has its own. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
  /** The value of `asymmetricKeyDetails.namedCurve`. */
  readonly curve?: 'prime256v1' | 'secp384r1' | 'secp521r1';
  /** The length of a signature. That of RSA is the length of the modulus. */
  readonly bytes?: number;
  readonly isPss?: boolean;
}

/** The asymmetric algorithms (RFC 7518 section 3, RFC 8037, RFC 9864). */
const ALGORITHMS = {
  EdDSA: { type: 'ed25519', bytes: 64 },
  Ed25519: { type: 'ed25519', bytes: 64 },
  ES256: { type: 'ec', hash: 'sha256', curve: 'prime256v1', bytes: 64 },
  ES384: { type: 'ec', hash: 'sha384', curve: 'secp384r1', bytes: 96 },
  ES512: { type: 'ec', hash: 'sha512', curve: 'secp521r1', bytes: 132 },
  RS256: { type: 'rsa', hash: 'sha256' },
  RS384: { type: 'rsa', hash: 'sha384' },
  RS512: { type: 'rsa', hash: 'sha512' },
  PS256: { type: 'rsa', hash: 'sha256', isPss: true },
  PS384: { type: 'rsa', hash: 'sha384', isPss: true },
  PS512: { type: 'rsa', hash: 'sha512', isPss: true },
} satisfies Readonly<Record<string, Algorithm>>;

export type SignatureAlgorithm = keyof typeof ALGORITHMS;

const RULES: Readonly<Record<SignatureAlgorithm, Algorithm>> = ALGORITHMS;
const NAMES: ReadonlySet<unknown> = new Set(Object.keys(ALGORITHMS));

/** The salt is as long as the hash (RFC 7518 section 3.5). */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const MIN_MODULUS_BITS = 2048;
/** A verification with a key of 16,384 bits takes milliseconds. */
const MAX_MODULUS_BITS = 8192;
/** A verification takes longer with a larger exponent. */
const MAX_EXPONENT = 2n ** 32n;

export function isSignatureAlgorithm(value: unknown): value is SignatureAlgorithm {
  return NAMES.has(value);
}

/** Why a key cannot be used with an algorithm, as the rest of a sentence, such as "has 1024 bits". */
export function keyProblem(alg: SignatureAlgorithm, key: KeyObject): string | undefined {
  const { type, curve } = RULES[alg];
  const { asymmetricKeyType = 'symmetric', asymmetricKeyDetails = {} } = key;
  if (asymmetricKeyType !== type) {
    return `is a key of the type ${asymmetricKeyType}, but ${alg} needs ${type}`;
  }
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails;
  if (namedCurve !== curve) {
    return `is a key of the curve ${namedCurve}, but ${alg} needs ${curve}`;
  }
  if (type === 'rsa' && (modulusLength < MIN_MODULUS_BITS || modulusLength > MAX_MODULUS_BITS)) {
    return `has ${modulusLength} bits, but RSA keys need ${MIN_MODULUS_BITS} to ${MAX_MODULUS_BITS}`;
  }
  const hasExponent = publicExponent >= 3n && publicExponent <= MAX_EXPONENT && publicExponent % 2n === 1n;
  return type === 'rsa' && !hasExponent ? 'has a public exponent that is not secure' : undefined;
}

/** Verifies signatures of one key with one algorithm. */
export class VerificationKey {
  /** The length of a signature in base64url. */
  readonly signatureLength: number;

  /** @param key of the algorithm, see `keyProblem` */
  constructor(
    readonly alg: SignatureAlgorithm,
    readonly key: KeyObject,
  ) {
    const bytes = RULES[alg].bytes ?? Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
    this.signatureLength = Math.ceil((bytes * 4) / 3);
  }

  /**
   * @param input what was signed: the first two parts of a token
   * @param signature in base64url. Each signature has one spelling: the unused bits are zero
   */
  verify(input: string, signature: string): boolean {
    if (signature.length !== this.signatureLength) {
      return false;
    }
    const bytes = Buffer.from(signature, 'base64url');
    return (
      bytes.toString('base64url') === signature &&
      verify(RULES[this.alg].hash, Buffer.from(input), withParameters(this.alg, this.key), bytes)
    );
  }
}

/** Signs with a private key of the algorithm. */
export function signWith(alg: SignatureAlgorithm, key: KeyObject, input: string): Buffer {
  return sign(RULES[alg].hash, Buffer.from(input), withParameters(alg, key));
}

function withParameters(alg: SignatureAlgorithm, key: KeyObject) {
  const { type, isPss } = RULES[alg];
  switch (type) {
    case 'ec':
      // JWS has r and s in a fixed form, not in DER (RFC 7518 section 3.4).
      return { key, dsaEncoding: 'ieee-p1363' as const };
    case 'rsa':
      return isPss === true ? { key, ...PSS } : { key };
    default:
      return { key };
  }
}
