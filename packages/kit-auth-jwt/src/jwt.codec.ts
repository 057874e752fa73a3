import { type KeyObject, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type JwtModuleOptions, JwtService } from '@nestjs/jwt';
import { AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import { type Claims, readClaims } from './claims.js';

type Reason = 'malformed' | 'signature' | 'expired';

/** Node takes 16 KiB of headers; a token beyond this could be issued but hardly sent. */
export const MAX_TOKEN_LENGTH = 12_288;
/** base64url without padding, the spare bits of its last character zero (RFC 4648 section 3.5). */
const PART = '(?=[\\w-])(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?';
/** The last part is a whole HMAC-SHA256, 256 bits. */
const COMPACT_FORM = new RegExp(`^${PART}\\.${PART}\\.[\\w-]{42}[AEIMQUYcgkosw048]$`);
/** No parameter but these two: a key, a URL of a key or a `crit` in a token is never for us. */
const OUR_HEADERS: ReadonlySet<string> = new Set(
  ['{"alg":"HS256","typ":"JWT"}', '{"typ":"JWT","alg":"HS256"}', '{"alg":"HS256"}'].map((header) =>
    Buffer.from(header).toString('base64url'),
  ),
);
const CLOCK_SKEW_SECONDS = 5;

/** One key, one algorithm, whatever a token says (RFC 8725 section 3.1). */
export function hs256(secret: KeyObject): JwtModuleOptions {
  return { secret, signOptions: { algorithm: 'HS256' }, verifyOptions: { algorithms: ['HS256'] } };
}

/** Writes and reads compact HS256 tokens (RFC 7515, RFC 7519), reading by a strict profile (RFC 8725). */
@Injectable()
export class JwtCodec {
  constructor(private readonly jwt: JwtService) {}

  /**
   * @param lifetimeSeconds how long the token is valid, from now on
   * @param stamp the user's security stamp, for tokens that end with it
   */
  encode(
    { userId, username, nickname, superAdmin, roles, permissions, mustChangePassword }: LoginUser,
    lifetimeSeconds: number,
    stamp?: string,
  ): string {
    const claims = {
      ...{ userId, username, nickname, superAdmin, roles, permissions },
      ...(mustChangePassword && { mustChangePassword }),
      ...(stamp !== undefined && { stamp }),
    };
    return this.jwt.sign(claims, {
      subject: String(userId),
      jwtid: randomUUID(),
      expiresIn: lifetimeSeconds,
    });
  }

  /**
   * @param lifetimeSeconds the longest life that a token may claim
   * @throws AuthException 40101 with the reason `malformed`, `signature` or `expired`
   */
  decode(token: string, lifetimeSeconds: number): Claims {
    const claims = readClaims(this.verifySignature(token));
    const [header, payload] = token.split('.', 2) as [string, string];
    if (claims === undefined || !OUR_HEADERS.has(header) || !isCanonical(claims, payload)) {
      throw refused('malformed');
    }
    checkTimes(claims, lifetimeSeconds);
    return claims;
  }

  /**
   * The signature alone, whatever was signed.
   *
   * @returns the payload as the library read it
   * @throws AuthException 40101 with the reason `malformed` or `signature`
   */
  verifySignature(token: string): unknown {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_FORM.test(token)) {
      throw refused('malformed');
    }
    try {
      // The times are checked by the profile, on claims whose types are known.
      return this.jwt.verify<object>(token, { ignoreExpiration: true, ignoreNotBefore: true });
    } catch (cause) {
      throw refused('signature', cause);
    }
  }
}

function checkTimes({ iat, exp, nbf = iat }: Claims, lifetimeSeconds: number): void {
  const now = Date.now() / 1000;
  if (exp <= iat || exp - iat > lifetimeSeconds || Math.max(iat, nbf) > now + CLOCK_SKEW_SECONDS) {
    throw refused('malformed');
  }
  if (exp <= now) {
    throw refused('expired');
  }
}

/**
 * Whether the part is JSON in the one spelling that `JSON.stringify` gives it, in UTF-8. Other spellings (duplicate
 * names, white space, a byte order mark, `1e400`) are read differently by different parsers, and we never write them.
 */
function isCanonical(value: unknown, part: string): boolean {
  return Buffer.from(JSON.stringify(value)).toString('base64url') === part;
}

function refused(reason: Reason, cause?: unknown): AuthException {
  return new AuthException(AuthErrorCode.TOKEN_INVALID, { reason, cause });
}
