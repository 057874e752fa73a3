import { Inject, Injectable } from '@nestjs/common';
import { describeError, secureFetch, unavailable } from 'kit-auth/extend';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { oidcOptions, type ResolvedOidcOptions } from '../config/oidc.options.js';
import type { ProviderSettings } from '../config/providers.js';
import type { LogoutToken } from './provider.connections.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LOGOUT_TYPE = 'logout+jwt';
/** Codes of the library for a provider whose keys cannot be read. */
const NO_KEYS: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);
const MAX_AGE_SECONDS = 120;
const TOLERANCE_SECONDS = 30;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** As for ID tokens. None is symmetric: a client secret is known to more than the provider. */
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
  private readonly timeoutMs: number;

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.timeoutMs = settings.timeoutMs;
  }

  /**
   * @returns undefined for a token that is not valid
   * @throws AuthException 50300 when the keys of the provider cannot be read
   */
  async read(
    { issuer, clientId }: ProviderSettings,
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
        requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
      });
      const { typ = LOGOUT_TYPE } = protectedHeader;
      return typ.toLowerCase() === LOGOUT_TYPE ? readPayload(payload) : undefined;
    } catch (error) {
      if (error instanceof errors.JOSEError && !NO_KEYS.has(error.code)) {
        return undefined;
      }
      throw unavailable(new Error(describeError(error)));
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

function readPayload({ sid, sub, jti, exp, events, nonce }: JWTPayload): LogoutToken | undefined {
  const names = isObject(events) ? Object.keys(events) : [];
  const isLogout =
    names.length === 1 && names[0] === EVENT && isObject((events as Record<string, unknown>)[EVENT]);
  const isNamed =
    [sid, sub].every((name) => name === undefined || isText(name)) && (isText(sid) || isText(sub));
  return isLogout && isNamed && isText(jti) && exp !== undefined && nonce === undefined
    ? { sid: isText(sid) ? sid : undefined, subject: sub, jti, expiresAt: exp + TOLERANCE_SECONDS }
    : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
