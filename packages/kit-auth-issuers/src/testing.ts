import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { publicJwkOf, type SignatureAlgorithm, signWith, thumbprintOf } from 'kit-auth/tools';
import type { JsonWebKeySet } from './issuer.js';
import type { IssuerConnections, PublishedKeys } from './keys/issuer.connections.js';

export { IssuerConnections, type PublishedKeys } from './keys/issuer.connections.js';

const ALG: SignatureAlgorithm = 'ES256';
const LIFETIME_SECONDS = 300;

/**
 * An issuer in the memory of the test, without a network. Where it replaces the `IssuerConnections` of an application, it
 * has the keys of all issuers.
 *
 * @example
 * ```ts
 * const issuer = new FakeIssuer({ issuer: 'https://login.example.com', audience: 'notes-api' });
 * const module = await Test.createTestingModule({ imports: [AppModule] })
 *   .overrideProvider(IssuerConnections)
 *   .useValue(issuer)
 *   .compile();
 * const app = await module.createNestApplication().init();
 *
 * const token = issuer.token({ sub: '4711', scope: 'notes.read' });
 * await request(app.getHttpServer()).get('/v1/notes').set('Authorization', `Bearer ${token}`).expect(200);
 * ```
 */
export class FakeIssuer implements IssuerConnections {
  private readonly privateKey: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  /** @param claims of all of its tokens: `issuer` is their `iss`, and `audience` their `aud` */
  constructor(private readonly claims: { readonly issuer: string; readonly audience: string }) {}

  /** The public keys, for the option `jwks` of an issuer. */
  get jwks(): JsonWebKeySet {
    return { keys: [{ ...publicJwkOf(this.privateKey), kid: this.kid, alg: ALG, use: 'sig' }] };
  }

  /**
   * Issues a token. It lives for five minutes.
   *
   * @param claims in place of its own. Undefined leaves one out
   * @param header in place of its own
   */
  token(claims: { readonly sub: string; readonly [claim: string]: unknown }, header: object = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const { issuer: iss, audience: aud } = this.claims;
    const payload = { iss, aud, iat: now, exp: now + LIFETIME_SECONDS, ...claims };
    const input = [{ alg: ALG, typ: 'at+jwt', kid: this.kid, ...header }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${input}.${signWith(ALG, this.privateKey, input).toString('base64url')}`;
  }

  /** Called by the application. */
  async keysOf(): Promise<PublishedKeys> {
    return { jwks: this.jwks, freshMs: LIFETIME_SECONDS * 1000 };
  }

  private get kid(): string {
    return thumbprintOf(this.privateKey);
  }
}
