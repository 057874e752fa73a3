import { Injectable } from '@nestjs/common';
import { KitAuthContext, type TransportExchange } from 'kit-auth';
import { ActiveLogins, LoginConfirmation, OwnChanges } from 'kit-auth/login';
import { badRequest } from 'kit-auth/feature';
import { OidcLimits } from '../limits.js';
import { PROMPTS } from '../oidc.api.js';
import { ProviderConnections } from '../providers/provider.connections.js';
import { Providers } from '../providers/providers.js';
import { notImplemented } from '../refusals.js';
import { Attempts } from './attempts.js';
import { type Destination, Destinations } from './destinations.js';

/** The unchecked members of a query or a body. */
export type StartQuery = Readonly<Record<string, unknown>>;

/** A login that begins at a page or an app. */
export interface LoginRequest extends Destination {
  readonly provider: string;
  readonly remember: boolean;
  readonly prompt: string | undefined;
}

/** Begins attempts. */
@Injectable()
export class OidcStart {
  constructor(
    private readonly providers: Providers,
    private readonly destinations: Destinations,
    private readonly attempts: Attempts,
    private readonly limits: OidcLimits,
    private readonly connections: ProviderConnections,
    private readonly own: OwnChanges,
    private readonly confirmation: LoginConfirmation,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
  ) {}

  /** @throws AuthException 40000, 40400 for an unknown provider */
  readLogin(provider: string, query: StartQuery): LoginRequest {
    this.providers.get(provider);
    const { returnTo, remember, challenge, prompt } = query;
    if (![undefined, 'true', 'false'].includes(remember as string | undefined)) {
      throw badRequest('"remember" must be true or false');
    }
    const wanted = PROMPTS.find((name) => name === prompt);
    if (prompt !== wanted) {
      throw badRequest(`"prompt" must be ${PROMPTS.join(', ')}`);
    }
    return {
      ...this.destinations.read(returnTo, challenge),
      provider,
      remember: remember === 'true',
      prompt: wanted,
    };
  }

  /**
   * Begins a login.
   *
   * @returns the URL of the provider
   * @throws AuthException 42900, 50300
   */
  async logIn({ prompt, ...login }: LoginRequest, exchange: TransportExchange): Promise<string> {
    await this.limits.countAttempt(this.context.client());
    const attempt = await this.attempts.begin({ ...login, purpose: 'login', initiator: undefined }, exchange);
    const provider = this.providers.get(login.provider);
    return this.connections.authorizationUrl(provider, { ...attempt, prompt, isFresh: false });
  }

  /**
   * Begins a link or a re-authentication of the current user.
   *
   * @returns the URL of the provider
   * @throws AuthException 40000, 40300 for tokens that are not a login of the user, 40400 for an unknown provider, 42900, 50100
   * for a re-authentication by a provider that cannot ask its user again, 50300
   */
  async forUser(
    purpose: 'link' | 'fresh',
    name: string,
    body: StartQuery,
    exchange: TransportExchange,
  ): Promise<string> {
    const { principal, current } = this.own.begin();
    const loginId = this.logins.idOf(principal.token, principal.proof);
    const client = this.context.client();
    const provider = this.providers.get(name);
    if (purpose === 'fresh' && !provider.fresh) {
      throw notImplemented(`${provider.title} cannot confirm a login`);
    }
    this.confirmation.require(principal);
    const destination = this.destinations.read(body['returnTo'], body['challenge']);
    await this.limits.countAttempt(client);
    const { user } = await current();
    const initiator = { userId: user.userId, loginId };
    const attempt = await this.attempts.begin(
      { ...destination, provider: name, purpose, remember: false, initiator },
      destination.challenge === undefined ? exchange : undefined,
    );
    const isFresh = purpose === 'fresh';
    return this.connections.authorizationUrl(provider, { ...attempt, prompt: undefined, isFresh });
  }
}
