import { Injectable } from '@nestjs/common';
import { KitAuthContext, type TransportExchange } from 'kit-auth';
import { badRequest, LoginConfirmation, OwnChanges, ActiveLogins } from 'kit-auth/extend';
import { Attempts } from '../attempts/attempts.js';
import { type Destination, Destinations } from '../attempts/destinations.js';
import { OidcLimits } from '../attempts/limits.js';
import { Providers } from '../config/providers.js';
import { ProviderConnections } from '../provider/provider.connections.js';
import { notImplemented } from '../contract/refusals.js';

/** The prompts of OpenID Connect that a page may ask for. */
const PROMPTS: readonly unknown[] = ['login', 'select_account', 'consent', 'none'];

/** What a request for a login with a provider says. */
export type StartQuery = Readonly<Record<string, unknown>>;

/** A login that begins at a page or an app. */
export interface LoginRequest extends Destination {
  readonly provider: string;
  readonly remember: boolean;
  readonly prompt: string | undefined;
}

/** Sends browsers to providers. */
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
    if (prompt !== undefined && !PROMPTS.includes(prompt)) {
      throw badRequest(`"prompt" must be ${PROMPTS.join(', ')}`);
    }
    return {
      ...this.destinations.read(returnTo, challenge),
      provider,
      remember: remember === 'true',
      prompt: prompt as string | undefined,
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
    const attempt = await this.attempts.begin({ ...login, purpose: 'login', asking: undefined }, exchange);
    const provider = this.providers.get(login.provider);
    return this.connections.authorizationUrl(provider, { ...attempt, prompt, isFresh: false });
  }

  /**
   * Begins to link an identity to the current user, or to confirm their login.
   *
   * @returns the URL of the provider
   * @throws AuthException 40000, 40300 for tokens that are no login of the user, 40400 for an unknown provider, 42900, 50100
   * for a confirmation by a provider that does not ask its user again, 50300
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
    const attempt = await this.attempts.begin(
      { ...destination, provider: name, purpose, remember: false, asking: { userId: user.userId, loginId } },
      destination.challenge === undefined ? exchange : undefined,
    );
    const isFresh = purpose === 'fresh';
    return this.connections.authorizationUrl(provider, { ...attempt, prompt: undefined, isFresh });
  }
}
