import { Inject, Injectable, Logger } from '@nestjs/common';
import { describeError, isObject, secureFetch } from 'kit-auth/tools';
import { unavailable } from 'kit-auth/feature';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import type { LogoutToken } from './provider.connections.js';
import type { ProviderSettings } from './providers.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/**
 * The specification recommends `logout+jwt`, but many libraries send `JWT`. `events` and the missing `nonce` distinguish a logout
 * token from an ID token. RFC 7515 allows the full media type.
 */
const TYPE = /^(?:application\/)?(?:logout\+)?jwt$/i;
/** Error codes of the library for keys of a provider that cannot be read. */
const NO_KEYS: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);
/** Caps a later `exp`. A provider may send a token again after a failure. */
const MAX_AGE_SECONDS = 300;
/** Drafts of the specification had no `exp`. The final one recommends two minutes. */
const AGE_WITHOUT_END_SECONDS = 120;
const TOLERANCE_SECONDS = 30;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The algorithms of ID tokens. None is symmetric, because others than the provider know the client secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Checks logout tokens (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class LogoutTokens {
  /** The keys of the providers by URL. An unknown key is looked up at most once a minute. */
  private readonly keys = new Map<string, JWTVerifyGetKey>();
  /** When a line may be logged again. There are few different lines: none contains text of a token. */
  private readonly quietUntil = new Map<string, number>();
  private readonly logger = new Logger('KitAuth');
  private readonly timeoutMs: number;

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.timeoutMs = settings.timeoutMs;
  }

  /**
   * @returns undefined for an invalid token. The log says why
   * @throws AuthException 50300 if the keys of the provider cannot be read
   */
  async read(
    { name, issuer, clientId }: ProviderSettings,
    { jwks_uri: url }: ServerMetadata,
    token: string,
  ): Promise<LogoutToken | undefined> {
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await this.keysAt(url), {
        issuer,
        audience: clientId,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
      });
      const problem = problemOf(protectedHeader.typ, payload);
      if (problem === undefined) {
        return logoutOf(payload);
      }
      this.logRefusal(name, problem);
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || NO_KEYS.has(error.code)) {
        throw unavailable(new Error(describeError(error)));
      }
      const { code, claim } = error as { code: string; claim?: string };
      this.logRefusal(name, [code, claim].filter(Boolean).join(' '));
    }
    return undefined;
  }

  /** Logs each reason at most once a minute, so that forged tokens do not hide why real ones are refused. */
  private logRefusal(provider: string, reason: string): void {
    const line = `[oidc] a logout token of ${provider} was refused: ${reason}`;
    const now = Date.now();
    if (now >= (this.quietUntil.get(line) ?? 0)) {
      this.quietUntil.set(line, now + MINUTE_MS);
      this.logger.warn(line);
    }
  }

  private async keysAt(url: string | undefined): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    if (url === undefined) {
      throw new Error('the provider has no keys');
    }
    const known =
      this.keys.get(url) ??
      createRemoteJWKSet(new URL(url), {
        timeoutDuration: this.timeoutMs,
        cooldownDuration: MINUTE_MS,
        cacheMaxAge: HOUR_MS,
        [customFetch]: secureFetch,
      });
    this.keys.set(url, known);
    return known;
  }
}

/** Checks everything except signature and times. Returns the first problem. */
function problemOf(typ: unknown, payload: JWTPayload): string | undefined {
  const { sid, sub, jti, events, nonce } = payload;
  if (typ !== undefined && !(typeof typ === 'string' && TYPE.test(typ))) {
    return '"typ" belongs to another kind of token';
  }
  if (!isObject(events) || !isObject(events[EVENT])) {
    return '"events" has no logout';
  }
  if (nonce !== undefined) {
    return 'it has a "nonce", like an ID token';
  }
  const names = [sid, sub].filter((name) => name !== undefined);
  if (names.length === 0 || !names.every(isNonEmptyString)) {
    return '"sid" and "sub" are missing or malformed';
  }
  if (!isNonEmptyString(jti)) {
    return '"jti" is malformed';
  }
  return Date.now() / 1000 > endOf(payload) ? 'it is too old' : undefined;
}

function logoutOf(payload: JWTPayload): LogoutToken {
  const { sid, sub, jti } = payload;
  return {
    sid: sid as string | undefined,
    subject: sub,
    jti: jti as string,
    expiresAt: endOf(payload),
  };
}

/** The end of a token in seconds since 1970. */
function endOf({ iat, exp }: JWTPayload): number {
  const begin = iat as number;
  const end = exp === undefined ? begin + AGE_WITHOUT_END_SECONDS : Math.min(exp, begin + MAX_AGE_SECONDS);
  return Math.ceil(end) + TOLERANCE_SECONDS;
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
