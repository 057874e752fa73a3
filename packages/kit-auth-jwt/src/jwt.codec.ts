import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, type LoginProof, type LoginUser, type UserData } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { MAX_TOKEN_LENGTH } from 'kit-auth/login';
import { type Claims, proofClaimsOf, readClaims } from './claims.js';
import { JwtKeys } from './jwt.keys.js';
import type { RingKey } from './keys/key-ring.js';

/** The start and the end of a token, in seconds since 1970. */
export type Times = Pick<Claims, 'iat' | 'exp'> & { nbf?: number | undefined };

/** The contents of a token besides the user. */
interface TokenExtras {
  proof?: LoginProof;
  /** The user's security stamp, for tokens that end with it. */
  stamp?: string | undefined;
  /** The part of `LoginUser.data` that the token carries. */
  data?: UserData | undefined;
  /** The `jti`. By default it is bound to `stamp`. */
  id?: string;
}

/** A token with the right signature, and claims of ours. */
export interface DecodedToken {
  readonly claims: Claims;
  /** Its key and its claims are accepted until this time, in seconds since 1970. */
  readonly acceptedUntil: number;
  /** Whether its signature takes long to verify. */
  readonly isSlow: boolean;
}

/** Three parts of base64url. The length of the last one depends on the key. */
const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/**
 * The characters after the groups of four in a payload. The unused bits of base64url are zero (RFC 4648 section 3.5),
 * so that a payload has one spelling.
 */
const PAYLOAD_END = /^(?:.[AQgw]|..[AEIMQUYcgkosw048])?$/;
const CLOCK_SKEW_SECONDS = 5;
/** A `jti` has 16 bytes. The first ones are random. */
const RANDOM_BYTES = 8;

/**
 * Writes and reads compact tokens (RFC 7515, RFC 7519) with the keys of the application and a strict profile (RFC 8725). This
 * class reads them itself: most of the work is the profile, and `jsonwebtoken` alone takes longer than all of it.
 */
@Injectable()
export class JwtCodec {
  constructor(@Inject(JwtKeys) private readonly keys: Pick<JwtKeys, 'ring' | 'addressing'>) {}

  /**
   * Rejects with `AuthException` 40101 `expired` when the login of the proof is over, and with `IllegalStateException`
   * when the proof does not fit into a token, or no key can sign.
   *
   * @param lifetimeSeconds lifetime from now, unless the login or the key ends earlier
   */
  async encode(user: LoginUser, lifetimeSeconds: number, extras: TokenExtras = {}): Promise<string> {
    const { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword } = user;
    const { proof = { factors: {} }, stamp, data, id = newTokenId(stamp ?? '') } = extras;
    const proofClaims = proofClaimsOf(proof);
    if (proofClaims === undefined) {
      throw new IllegalStateException(`a token cannot carry this proof of a login: ${JSON.stringify(proof)}`);
    }
    const key = this.keys.ring.signer();
    if (key === undefined) {
      throw new IllegalStateException(
        'kit.auth.jwt.keys has no key that signs any more: each is next, past its until, or only a public key',
      );
    }
    const iat = Math.floor(Date.now() / 1000);
    const exp = Math.min(iat + lifetimeSeconds, proof.expiresAt ?? Infinity, key.endsAt);
    if (exp <= iat) {
      throw invalidToken('expired');
    }
    const claims = {
      userId,
      username,
      nickname,
      superAdmin,
      roles,
      permissions,
      ...(mustChangePassword && { mustChangePassword }),
      ...(data !== undefined && { data }),
      ...proofClaims,
      ...(stamp !== undefined && { stamp }),
      ...(!key.isLegacy && this.keys.addressing.claims),
      iat,
      exp,
      sub: String(userId),
      jti: id,
    };
    return key.material.sign(claims);
  }

  /**
   * The claims of a token, even if it has expired. `checkTimes` checks that.
   *
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  decode(token: string): DecodedToken {
    const { key, payload } = this.verifySignature(token);
    const claims = this.keys.ring.knows(headerOf(token)) ? readClaims(parsed(payload)) : undefined;
    const end = claims && this.keys.addressing.endOf(claims);
    if (claims === undefined || end === undefined) {
      throw invalidToken('malformed');
    }
    return { claims, acceptedUntil: Math.min(end, key.endsAt), isSlow: key.material.isSlow };
  }

  /**
   * Verifies only the signature.
   *
   * @returns the payload with the key that has signed it
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  verifySignature(token: string): { key: RingKey; payload: Buffer } {
    const isCompact = token.length <= MAX_TOKEN_LENGTH && COMPACT_FORM.test(token);
    const key = isCompact ? this.keys.ring.keyOf(headerOf(token)) : undefined;
    const end = token.lastIndexOf('.');
    const signature = token.slice(end + 1);
    if (key === undefined || signature.length !== key.material.signatureLength) {
      throw invalidToken('malformed');
    }
    if (!key.material.verify(token.slice(0, end), signature)) {
      throw invalidToken('signature');
    }
    const part = token.slice(token.indexOf('.') + 1, end);
    if (!PAYLOAD_END.test(part.slice(part.length - (part.length % 4)))) {
      throw invalidToken('malformed');
    }
    return { key, payload: Buffer.from(part, 'base64url') };
  }
}

function headerOf(token: string): string {
  return token.slice(0, token.indexOf('.'));
}

/**
 * Checks that a token is valid now.
 *
 * @param lifetimeSeconds the longest lifetime that a token may claim
 * @throws AuthException 40101 with the reason `malformed` or `expired`
 */
export function checkTimes({ iat, exp, nbf = iat }: Times, lifetimeSeconds: number): void {
  const now = Date.now() / 1000;
  if (exp <= iat || exp - iat > lifetimeSeconds || Math.max(iat, nbf) > now + CLOCK_SKEW_SECONDS) {
    throw invalidToken('malformed');
  }
  if (exp <= now) {
    throw invalidToken('expired');
  }
}

/**
 * Parses a payload: UTF-8, and JSON exactly as `JSON.stringify` writes it. Parsers disagree about other spellings
 * (duplicate names, white space, a byte order mark, `1e400`), and our tokens have none of them.
 *
 * @returns undefined for any other string
 */
function parsed(payload: Buffer): unknown {
  const text = payload.toString();
  try {
    const value: unknown = JSON.parse(text);
    // Bytes that are not UTF-8 become replacement characters.
    const isValid = !text.includes('\ufffd') || isUtf8(payload);
    return isValid && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates the id of a token (`jti`), in the form of a random UUID. Half of it is random, the other half is a digest of
 * that and the user's security stamp. So it shows whether a token was issued for a stamp, without revealing the stamp.
 */
export function newTokenId(stamp: string): string {
  return idOf(randomBytes(RANDOM_BYTES), stamp);
}

/** Whether an id was created for a security stamp. */
export function isBoundTo(id: string, stamp: string): boolean {
  const random = Buffer.from(id.replaceAll('-', ''), 'hex').subarray(0, RANDOM_BYTES);
  return random.length === RANDOM_BYTES && id === idOf(random, stamp);
}

function idOf(random: Buffer, stamp: string): string {
  // The bits of version 4 and its variant (RFC 9562 section 5.4).
  random.writeUInt8((random.readUInt8(6) & 0x0f) | 0x40, 6);
  const digest = createHash('sha256').update(random).update(stamp).digest();
  digest.writeUInt8((digest.readUInt8(0) & 0x3f) | 0x80, 0);
  const hex = random.toString('hex') + digest.toString('hex', 0, 8);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
