import { hash } from 'node:crypto';
import { Get, Headers, HttpStatus, Injectable, Res } from '@nestjs/common';
import type { KitAuthSettings } from 'kit-auth';
import { type Call, Endpoint, KitAuthController, WellKnownController } from 'kit-auth/feature';
import { jwtApi } from './jwt.api.js';
import { JwtKeys } from './jwt.keys.js';

/** Lifetime in caches. A new key is published long before it signs. */
const MAX_AGE_SECONDS = 300;

/** A response of Express or Fastify. */
interface PlatformResponse {
  header(name: string, value: string): unknown;
  status(code: number): unknown;
}

/** The public keys as a JWK Set (RFC 7517 section 5). */
@Injectable()
export class JwksAnswer {
  constructor(private readonly keys: JwtKeys) {}

  /**
   * Sets the headers of the answer.
   *
   * @param known the header `If-None-Match`
   * @returns the body; undefined for 304
   */
  to(known: string | undefined, response: PlatformResponse): string | undefined {
    const body = JSON.stringify({ keys: this.keys.ring.published() });
    const tag = `"${hash('sha256', body, 'base64url')}"`;
    response.header('ETag', tag);
    response.header('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    if (isAmong(tag, known)) {
      response.status(HttpStatus.NOT_MODIFIED);
      return undefined;
    }
    response.header('Content-Type', 'application/jwk-set+json');
    return body;
  }
}

/** Weak comparison (RFC 9110 section 13.1.2): proxies that compress an answer weaken its tag. */
function isAmong(tag: string, known = ''): boolean {
  const tags = known.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes(tag) || known.trim() === '*';
}

/** Publishes the public keys, so that other applications can verify our tokens. */
@KitAuthController()
export class KitAuthJwksController {
  constructor(private readonly answer: JwksAnswer) {}

  @Endpoint(jwtApi, 'GET jwks')
  list(
    _call: Call<typeof jwtApi, 'GET jwks'>,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): string | undefined {
    return this.answer.to(known, response);
  }
}

/** The same, where many clients look for it. */
@WellKnownController('jwks.json')
export class KitAuthWellKnownJwksController {
  constructor(private readonly answer: JwksAnswer) {}

  @Get()
  list(
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): string | undefined {
    return this.answer.to(known, response);
  }
}

type Settings = Pick<KitAuthSettings, 'jwt'>;

/** Whether the application has public keys, and publishes them. */
export function publishesKeys(settings?: Settings): boolean {
  const { jwks = false, keys = [] } = settings?.jwt ?? {};
  return jwks !== false && keys.some(({ alg }) => alg !== 'HS256');
}

/** Whether it publishes them under `/.well-known` as well. */
export function publishesWellKnown(settings?: Settings): boolean {
  const jwks = settings?.jwt.jwks;
  return publishesKeys(settings) && typeof jwks === 'object' && jwks.wellKnown;
}
