import { isUtf8 } from 'node:buffer';
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import { type Claims, readClaims } from './claims.js';
import { SIGNING_KEY } from './signing-key.js';
import { newTokenId } from './token-id.js';

/** When a token begins and ends, in seconds since 1970. */
export type Times = Pick<Claims, 'iat' | 'exp'> & { nbf?: number | undefined };

type Reason = 'malformed' | 'signature' | 'expired';

/** Node takes 16 KiB of headers; a token beyond this could be issued but hardly sent. */
export const MAX_TOKEN_LENGTH = 12_288;
/** Three parts of base64url; the last is a whole HMAC-SHA256, 256 bits. */
const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;
/** No parameter but these two: a key, a URL of a key or a `crit` in a token is never for us. */
const OUR_HEADERS: ReadonlySet<string> = new Set(
  ['{"alg":"HS256","typ":"JWT"}', '{"typ":"JWT","alg":"HS256"}', '{"alg":"HS256"}'].map((header) =>
    Buffer.from(header).toString('base64url'),
  ),
);
const CLOCK_SKEW_SECONDS = 5;

/**
 * Writes and reads compact HS256 tokens (RFC 7515, RFC 7519): one key, one algorithm, whatever a token says, and a
 * strict profile (RFC 8725). Written by the library; read here, because the profile is most of the work, and the
 * library takes longer than all of it.
 */
@Injectable()
export class JwtCodec {
  private readonly jwt: JwtService;

  constructor(@Inject(SIGNING_KEY) private readonly key: KeyObject) {
    this.jwt = new JwtService({ secret: key, signOptions: { algorithm: 'HS256' } });
  }

  /**
   * @param lifetimeSeconds how long the token is valid, from now on
   * @param stamp the user's security stamp, for tokens that end with it
   * @param id bound to the stamp, for tokens that do not
   */
  encode(
    { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword }: LoginUser,
    lifetimeSeconds: number,
    stamp?: string,
    id: string = newTokenId(stamp ?? ''),
  ): string {
    const claims = {
      ...{ userId, username, nickname, superAdmin, roles, permissions },
      ...(mustChangePassword && { mustChangePassword }),
      ...(stamp !== undefined && { stamp }),
    };
    return this.jwt.sign(claims, {
      subject: String(userId),
      jwtid: id,
      expiresIn: lifetimeSeconds,
    });
  }

  /**
   * What a token says, whether or not it has begun or ended: that is for `checkTimes` to tell.
   *
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  decode(token: string): Claims {
    const payload = this.verifySignature(token);
    const header = token.slice(0, token.indexOf('.'));
    const claims = OUR_HEADERS.has(header) ? readClaims(parsed(payload)) : undefined;
    if (claims === undefined) {
      throw refused('malformed');
    }
    return claims;
  }

  /**
   * The signature alone, whatever was signed.
   *
   * @returns the payload
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  verifySignature(token: string): Buffer {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_FORM.test(token)) {
      throw refused('malformed');
    }
    const end = token.lastIndexOf('.');
    const mac = createHmac('sha256', this.key).update(token.slice(0, end)).digest('base64url');
    if (!timingSafeEqual(Buffer.from(token.slice(end + 1)), Buffer.from(mac))) {
      throw refused('signature');
    }
    const part = token.slice(token.indexOf('.') + 1, end);
    const payload = Buffer.from(part, 'base64url');
    // No spare bits (RFC 4648 section 3.5): a payload has one spelling.
    if (payload.toString('base64url') !== part) {
      throw refused('malformed');
    }
    return payload;
  }
}

/**
 * @param lifetimeSeconds the longest life that a token may claim
 * @throws AuthException 40101 with the reason `malformed` or `expired`
 */
export function checkTimes({ iat, exp, nbf = iat }: Times, lifetimeSeconds: number): void {
  const now = Date.now() / 1000;
  if (exp <= iat || exp - iat > lifetimeSeconds || Math.max(iat, nbf) > now + CLOCK_SKEW_SECONDS) {
    throw refused('malformed');
  }
  if (exp <= now) {
    throw refused('expired');
  }
}

/**
 * What a payload says: JSON in the one spelling that `JSON.stringify` gives it, in UTF-8. Other spellings (duplicate
 * names, white space, a byte order mark, `1e400`) are read differently by different parsers, and we never write them.
 *
 * @returns undefined for any other text
 */
function parsed(payload: Buffer): unknown {
  const text = payload.toString();
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text && isUtf8(payload) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(reason: Reason): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason });
}
