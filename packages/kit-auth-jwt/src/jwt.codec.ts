import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { JwtService } from '@nestjs/jwt';
import { IllegalStateException, type LoginProof, type LoginUser } from 'kit-auth';
import { describeError, invalidToken } from 'kit-auth/extend';
import { type Claims, proofClaimsOf, readClaims } from './claims.js';
import { SIGNING_KEY } from './signing-key.js';

/** The start and the end of a token, in seconds since 1970. */
export type Times = Pick<Claims, 'iat' | 'exp'> & { nbf?: number | undefined };

/** The contents of a token besides the user. */
interface TokenExtras {
  proof?: LoginProof;
  /** The user's security stamp, for tokens that end with it. */
  stamp?: string | undefined;
  /** The `jti`. By default it is bound to `stamp`. */
  id?: string;
}

/** Node accepts 16 KiB of headers. A longer token could be issued, but not sent. */
export const MAX_TOKEN_LENGTH = 12_288;
/** Three parts of base64url; the last is a whole HMAC-SHA256, 256 bits. */
const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;
/**
 * What follows the groups of four characters in a payload. The unused bits of base64url are zero (RFC 4648 section 3.5),
 * so that a payload has one spelling.
 */
const PAYLOAD_END = /^(?:.[AQgw]|..[AEIMQUYcgkosw048])?$/;
/** No other parameters: we never use a key, the URL of a key, or a `crit` that comes with a token. */
export const OUR_HEADERS: ReadonlySet<string> = new Set(
  ['{"alg":"HS256","typ":"JWT"}', '{"typ":"JWT","alg":"HS256"}', '{"alg":"HS256"}'].map((header) =>
    Buffer.from(header).toString('base64url'),
  ),
);
const CLOCK_SKEW_SECONDS = 5;
/** A `jti` has 16 bytes. The first ones are random. */
const RANDOM_BYTES = 8;

/**
 * Writes and reads compact HS256 tokens (RFC 7515, RFC 7519) with one key, one algorithm and a strict profile (RFC
 * 8725). A library signs the tokens. This class reads them itself: most of the work is the profile, and `jsonwebtoken`
 * alone takes longer than all of it.
 */
@Injectable()
export class JwtCodec {
  private jwt: Promise<JwtService> | undefined;

  constructor(@Inject(SIGNING_KEY) private readonly key: KeyObject) {}

  /**
   * Rejects with `AuthException` 40101 `expired` when the login of the proof is over, and with `IllegalStateException`
   * when the proof does not fit into a token.
   *
   * @param lifetimeSeconds how long the token is valid, from now on, unless the login ends earlier
   */
  async encode(user: LoginUser, lifetimeSeconds: number, extras: TokenExtras = {}): Promise<string> {
    const { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword } = user;
    const { proof = { factors: {} }, stamp, id = newTokenId(stamp ?? '') } = extras;
    const proofClaims = proofClaimsOf(proof);
    if (proofClaims === undefined) {
      throw new IllegalStateException(`a token cannot carry this proof of a login: ${JSON.stringify(proof)}`);
    }
    const iat = Math.floor(Date.now() / 1000);
    const exp = Math.min(iat + lifetimeSeconds, proof.expiresAt ?? Infinity);
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
      ...proofClaims,
      ...(stamp !== undefined && { stamp }),
      iat,
      exp,
    };
    const jwt = await (this.jwt ??= this.loadSigner());
    return jwt.sign(claims, { subject: String(userId), jwtid: id });
  }

  /**
   * The claims of a token, even if it has expired. `checkTimes` checks that.
   *
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  decode(token: string): Claims {
    const payload = this.verifySignature(token);
    const header = token.slice(0, token.indexOf('.'));
    const claims = OUR_HEADERS.has(header) ? readClaims(parsed(payload)) : undefined;
    if (claims === undefined) {
      throw invalidToken('malformed');
    }
    return claims;
  }

  /**
   * Verifies only the signature.
   *
   * @returns the payload
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  verifySignature(token: string): Buffer {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_FORM.test(token)) {
      throw invalidToken('malformed');
    }
    const end = token.lastIndexOf('.');
    const mac = createHmac('sha256', this.key).update(token.slice(0, end)).digest('base64url');
    if (!timingSafeEqual(Buffer.from(token.slice(end + 1)), Buffer.from(mac))) {
      throw invalidToken('signature');
    }
    const part = token.slice(token.indexOf('.') + 1, end);
    if (!PAYLOAD_END.test(part.slice(part.length - (part.length % 4)))) {
      throw invalidToken('malformed');
    }
    return Buffer.from(part, 'base64url');
  }

  /** Loads the library when the first token is issued, to save start-up time and memory. */
  private async loadSigner(): Promise<JwtService> {
    const { JwtService } = await import('@nestjs/jwt').catch((error: unknown) => {
      throw new IllegalStateException(
        `kit-auth-jwt cannot load @nestjs/jwt. Install @nestjs/jwt@12 with Nest 12, or @nestjs/jwt@11 with Nest 11: ` +
          describeError(error),
      );
    });
    return new JwtService({ secret: this.key, signOptions: { algorithm: 'HS256' } });
  }
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
