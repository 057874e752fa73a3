import { Inject, Injectable, Logger } from '@nestjs/common';
import { hash } from 'node:crypto';
import { AuthException } from 'kit-auth';
import { describeError, secureFetch, withinDeadline } from 'kit-auth/tools';
import { unavailable } from 'kit-auth/feature';
import type {
  AuthorizationCodeGrantChecks,
  Configuration,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import { externalLoginFailed } from '../refusals.js';
import { type Claims, isGiven, readClaims, readProfile, withUserInfo } from './claims.js';
import { causeOf, Discovery, openIdClient } from './discovery.js';
import type { ExternalLogin, ProviderTokens } from './external-identity.js';
import { LogoutTokens } from './logout-tokens.js';
import {
  type AuthorizationRequest,
  type LoginSecrets,
  type LogoutToken,
  ProviderConnections,
} from './provider.connections.js';
import type { ProviderFetch } from './provider.options.js';
import type { ProviderSettings } from './providers.js';

type Answer = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Error codes of the library for a missing or malformed answer of a provider. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
]);

/** Error codes of OAuth 2. The browser can send any string as one. */
const OAUTH_ERROR = /^[a-z_]{1,64}$/;

/** Connections with `openid-client`. */
@Injectable()
export class OpenIdConnections extends ProviderConnections {
  private readonly logger = new Logger('KitAuth');
  private readonly timeoutMs: number;

  constructor(
    private readonly discovery: Discovery,
    private readonly logoutTokens: LogoutTokens,
    @Inject(oidcOptions.token) { settings }: ResolvedOidcOptions,
  ) {
    super();
    this.timeoutMs = settings.timeoutMs;
  }

  async authorizationUrl(
    provider: ProviderSettings,
    { state, nonce, verifier, prompt, isFresh }: AuthorizationRequest,
  ): Promise<string> {
    const config = await this.discovery.of(provider);
    const { buildAuthorizationUrl } = await openIdClient();
    const wantedPrompt = isFresh ? 'login' : (prompt ?? provider.prompt);
    const url = buildAuthorizationUrl(config, {
      ...provider.params,
      redirect_uri: provider.redirectUri,
      scope: provider.scopes,
      state,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      ...(provider.oauth2 === undefined && { nonce }),
      ...(wantedPrompt !== undefined && { prompt: wantedPrompt }),
      ...(isFresh && { max_age: '0' }),
    });
    return url.href;
  }

  async redeem(provider: ProviderSettings, callback: URL, secrets: LoginSecrets): Promise<ExternalLogin> {
    const config = await this.discovery.of(provider);
    try {
      const answer = await this.grant(config, provider, callback, secrets);
      return provider.oauth2 === undefined
        ? await this.openIdLogin(config, provider, answer)
        : readProfile(provider, tokensOf(answer), await this.profileOf(provider, answer.access_token));
    } catch (error) {
      throw this.refusalOf(provider, error);
    }
  }

  async logoutUrl(provider: ProviderSettings, returnTo: string): Promise<string | undefined> {
    if (provider.oauth2 !== undefined) {
      return undefined;
    }
    const config = await this.discovery.of(provider);
    if (config.serverMetadata().end_session_endpoint === undefined) {
      return undefined;
    }
    const { buildEndSessionUrl } = await openIdClient();
    return buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href;
  }

  async readLogoutToken(provider: ProviderSettings, token: string): Promise<LogoutToken | undefined> {
    return provider.oauth2 === undefined
      ? this.logoutTokens.read(provider, (await this.discovery.of(provider)).serverMetadata(), token)
      : undefined;
  }

  private async grant(
    config: Configuration,
    { oauth2 }: ProviderSettings,
    callback: URL,
    { state, nonce, verifier }: LoginSecrets,
  ): Promise<Answer> {
    const { authorizationCodeGrant, WWWAuthenticateChallengeError } = await openIdClient();
    const checks: AuthorizationCodeGrantChecks = { expectedState: state, pkceCodeVerifier: verifier };
    return authorizationCodeGrant(
      config,
      callback,
      oauth2 === undefined ? { ...checks, expectedNonce: nonce, idTokenExpected: true } : checks,
    ).catch((error: unknown) => {
      // The library does not read the body of such an answer. A token endpoint sends 401 for this error only.
      throw error instanceof WWWAuthenticateChallengeError && error.status === 401
        ? Object.assign(error, { error: 'invalid_client' })
        : error;
    });
  }

  /** Many ID tokens lack `email` or `email_verified`. The user info may have them. */
  private async openIdLogin(
    config: Configuration,
    provider: ProviderSettings,
    answer: Answer,
  ): Promise<ExternalLogin> {
    const claims = answer.claims() as Claims;
    const tokens = tokensOf(answer);
    const canAsk =
      config.serverMetadata().userinfo_endpoint !== undefined && provider.scopes.split(' ').includes('email');
    const ask = async () => {
      const { fetchUserInfo } = await openIdClient();
      const info = await fetchUserInfo(config, answer.access_token, claims['sub'] as string);
      return readClaims(provider, tokens, withUserInfo(claims, info));
    };
    if (canAsk && !isGiven(claims['email'])) {
      return ask();
    }
    const login = readClaims(provider, tokens, claims);
    const canBeVerified =
      canAsk &&
      login.identity.address !== undefined &&
      provider.emailVerified === 'claim' &&
      !isGiven(claims['email_verified']);
    const verified = () =>
      ask().then(
        ({ identity }) => identity,
        (error: unknown) => {
          throw this.refusalOf(provider, error);
        },
      );
    return canBeVerified ? { ...login, verified } : login;
  }

  /** @throws AuthException 50300 if the call or the code of the application fails */
  private async profileOf({ name, oauth2 }: ProviderSettings, accessToken: string): Promise<unknown> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const fetch: ProviderFetch = (url, init) => secureFetch(url, { ...init, signal });
      return await withinDeadline(this.timeoutMs, Promise.resolve(oauth2?.profile(accessToken, fetch)));
    } catch (error) {
      this.logger.error(`[oidc] the profile of a user of ${name} cannot be read: ${describeError(error)}`);
      throw unavailable(error);
    }
  }

  /** Logs codes only: messages and causes may contain text of the provider. */
  private refusalOf(provider: ProviderSettings, error: unknown): AuthException {
    if (error instanceof AuthException) {
      return error;
    }
    const { name, code, error: oauthError, status } = error as Partial<Record<string, string | number>>;
    if (oauthError === 'access_denied') {
      return externalLoginFailed('denied');
    }
    const known = OAUTH_ERROR.test(String(oauthError)) ? oauthError : undefined;
    const what = new Set([name, code, known, status, causeOf(error)].filter((part) => part !== undefined));
    this.logger.warn(`[oidc] a login with ${provider.name} failed: ${[...what].join(', ')}`);
    const isDown =
      NO_ANSWER.has(code) || name === 'TypeError' || (typeof status === 'number' && status >= 500);
    return isDown ? unavailable(error) : externalLoginFailed('provider');
  }
}

function tokensOf(answer: Answer): ProviderTokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    idToken: answer.id_token,
    expiresIn: answer.expiresIn(),
    scope: answer.scope,
  };
}
