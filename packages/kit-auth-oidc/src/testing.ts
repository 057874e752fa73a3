import { randomBytes } from 'node:crypto';
import { readClaims, readProfile } from './providers/claims.js';
import type { ExternalLogin } from './providers/external-identity.js';
import {
  type AuthorizationRequest,
  type LoginSecrets,
  type LogoutToken,
  ProviderConnections,
} from './providers/provider.connections.js';
import type { ProviderSettings } from './providers/providers.js';
import { externalLoginFailed } from './refusals.js';

export { ProviderConnections } from './providers/provider.connections.js';

/** The claims of the ID token. For OAuth 2, `sub` is the `subject` of the profile. */
export interface FakeUser {
  readonly sub: string;
  readonly email?: string;
  /** Default true. */
  readonly email_verified?: boolean;
  readonly name?: string;
  /** When the provider asked the user, in seconds since 1970. */
  readonly auth_time?: number;
  readonly [claim: string]: unknown;
}

/**
 * A provider in memory, without a network. It replaces all providers of the application. HTTP agents such as `supertest` send
 * `Secure` cookies to https only: in tests, set `redirectBase` to `http://localhost:3000`.
 *
 * @example
 * ```ts
 * const provider = new FakeProvider();
 * const module = await Test.createTestingModule({ imports: [AppModule] })
 *   .overrideProvider(ProviderConnections)
 *   .useValue(provider)
 *   .compile();
 * const app = await module.createNestApplication().init();
 * const agent = request.agent(app.getHttpServer());
 *
 * const start = await agent.get('/v1/api/auth/oidc/google/start');
 * await agent.get(provider.logIn(start.headers.location, { sub: '4711', email: 'ada@example.com' })).expect(302);
 * ```
 */
export class FakeProvider extends ProviderConnections {
  private readonly users = new Map<string, FakeUser>();
  private readonly logouts = new Map<string, LogoutToken>();

  /**
   * Logs a user in.
   *
   * @param url the URL to which the application sent the browser
   * @returns the path of the callback
   */
  logIn(url: string, user: FakeUser): string {
    const code = randomBytes(16).toString('hex');
    this.users.set(code, user);
    return callbackOf(url, { code });
  }

  /**
   * Refuses a login on behalf of the user.
   *
   * @param url the URL to which the application sent the browser
   * @returns the path of the callback
   */
  refuse(url: string): string {
    return callbackOf(url, { error: 'access_denied' });
  }

  /** Issues a logout token, for `POST oidc/{name}/backchannel-logout`. */
  logoutToken({ sub, sid }: { readonly sub?: string; readonly sid?: string }): string {
    const token = randomBytes(16).toString('hex');
    const expiresAt = Math.floor(Date.now() / 1000) + 120;
    this.logouts.set(token, { sid, subject: sub, jti: token, expiresAt });
    return token;
  }

  /** Called by the application, like the methods below. */
  override async authorizationUrl(
    { issuer, redirectUri }: ProviderSettings,
    { state, nonce }: AuthorizationRequest,
  ): Promise<string> {
    return `${issuer}/authorize?${new URLSearchParams({ state, nonce, redirect_uri: redirectUri }).toString()}`;
  }

  override async redeem(
    provider: ProviderSettings,
    callback: URL,
    { state }: LoginSecrets,
  ): Promise<ExternalLogin> {
    const { searchParams } = callback;
    if (searchParams.get('error') === 'access_denied') {
      throw externalLoginFailed('denied');
    }
    const code = searchParams.get('code') ?? '';
    const user = this.users.get(code);
    this.users.delete(code);
    if (user === undefined || searchParams.get('state') !== state) {
      throw externalLoginFailed('provider');
    }
    const { sub, email, email_verified: verified = true, name } = user;
    const tokens = { accessToken: code };
    if (provider.oauth2 !== undefined) {
      return readProfile(provider, tokens, { subject: sub, address: email, verified, name });
    }
    const iat = Math.floor(Date.now() / 1000);
    return readClaims(provider, tokens, { aud: provider.clientId, iat, ...user, email_verified: verified });
  }

  override async logoutUrl({ issuer }: ProviderSettings, returnTo: string): Promise<string | undefined> {
    return `${issuer}/logout?${new URLSearchParams({ post_logout_redirect_uri: returnTo }).toString()}`;
  }

  override async readLogoutToken(
    _provider: ProviderSettings,
    token: string,
  ): Promise<LogoutToken | undefined> {
    return this.logouts.get(token);
  }
}

function callbackOf(url: string, answer: Record<string, string>): string {
  const { searchParams } = new URL(url);
  const { pathname } = new URL(searchParams.get('redirect_uri') ?? '');
  return `${pathname}?${new URLSearchParams({ ...answer, state: searchParams.get('state') ?? '' }).toString()}`;
}
