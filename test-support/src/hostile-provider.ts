import { type KeyObject, randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { base64url, exportJWK, type JWK, SignJWT } from 'jose';
import type { OidcProvider } from 'kit-auth-oidc';
import { pairOf } from './key-pairs.js';
import { LocalServer } from './local-server.js';

export const CLIENT_ID = 'app';
export const CLIENT_SECRET = 'the secret of the client 4711';
/** The event of logout tokens. */
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** How an ID token differs from an honest one. */
export interface Tampering {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: { readonly alg?: string; readonly kid?: string; readonly typ?: string };
  /** Default: the key of the provider. */
  readonly key?: KeyObject | Uint8Array;
  /** Changes the signed token. */
  readonly token?: (jwt: string) => string;
}

/** An OpenID Connect provider that sends whatever a test wants. */
export class HostileProvider extends LocalServer {
  private readonly pair = pairOf('ES256');
  readonly publicKey = this.pair.publicKey;
  tampering: Tampering = {};
  userInfo: Readonly<Record<string, unknown>> = {};
  metadata: Readonly<Record<string, unknown>> = {};
  /** The nonce of the last authorization request. */
  nonce = '';

  override reset(): void {
    super.reset();
    this.tampering = {};
    this.userInfo = {};
    this.metadata = {};
  }

  get issuer(): string {
    return this.origin;
  }

  /** For the option `providers`. The issuer is known once the provider has started. */
  settings(name = 'test', more: Partial<OidcProvider> = {}, path = ''): OidcProvider {
    const issuerOf = () => this.issuer + path;
    return {
      name,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      get issuer() {
        return issuerOf();
      },
      ...more,
    };
  }

  /** The callback of the user who logs in. */
  callbackOf(url: string, more: Record<string, string> = {}): string {
    const { searchParams } = new URL(url);
    this.nonce = searchParams.get('nonce') ?? '';
    const answer = { code: 'a-code', state: searchParams.get('state') ?? '', iss: this.issuer, ...more };
    return `${searchParams.get('redirect_uri')}?${new URLSearchParams(answer).toString()}`;
  }

  /** The callback of a user whom the provider refuses. */
  refusalOf(url: string, error: string): string {
    const callback = new URL(this.callbackOf(url, { error }));
    callback.searchParams.delete('code');
    return callback.href;
  }

  /** @param claims besides those that each logout token has */
  logoutToken(claims: Readonly<Record<string, unknown>>, tampering?: Tampering): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const common = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 120, jti: randomUUID() };
    return this.sign({ ...common, events: { [LOGOUT_EVENT]: {} }, ...claims }, tampering);
  }

  async sign(
    claims: Readonly<Record<string, unknown>>,
    { header = {}, key = this.pair.privateKey }: Tampering = {},
  ): Promise<string> {
    const alg = header.alg ?? 'ES256';
    const payload = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    if (alg === 'none') {
      const parts = [{ kid: 'one', ...header }, payload].map((part) =>
        base64url.encode(JSON.stringify(part)),
      );
      return `${parts.join('.')}.`;
    }
    return new SignJWT(payload).setProtectedHeader({ kid: 'one', ...header, alg }).sign(key);
  }

  protected override async bodyOf(path: string): Promise<object | undefined> {
    const { issuer } = this;
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        };
      case '/jwks': {
        const jwk: JWK = { ...(await exportJWK(this.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
        return { keys: [jwk] };
      }
      case '/token': {
        const { claims, token = (jwt: string) => jwt } = this.tampering;
        const idToken = await this.sign({ ...this.honest(), ...claims }, this.tampering);
        return {
          access_token: 'an-access-token',
          token_type: 'bearer',
          expires_in: 60,
          id_token: token(idToken),
        };
      }
      case '/userinfo':
        return { sub: 'ada', ...this.userInfo };
      default:
        return undefined;
    }
  }

  /** The claims of an honest ID token. */
  honest(): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: this.issuer,
      sub: 'ada',
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce: this.nonce,
      email: 'ada@example.com',
      email_verified: true,
    };
  }
}

/** For the body of a `describe`. */
export function sharedHostileProvider(): HostileProvider {
  const provider = new HostileProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  return provider;
}
