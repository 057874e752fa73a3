import { Injectable } from '@nestjs/common';
import { type AuthAction, AuthErrorCode, AuthEvents, AuthException, type TransportExchange } from 'kit-auth';
import { ActiveUserStore, type LoginAnswer } from 'kit-auth/extend';
import type { Attempt } from '../attempts/attempts.js';
import { Providers } from '../config/providers.js';
import { Linking } from '../identities/linking.js';
import type { ExternalIdentity, ExternalLogin } from '../contract/external-identity.js';
import { ProviderConnections } from '../provider/provider.connections.js';
import { IdentityStore } from '../stores/identity.store.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { AskingLogins } from './asking.logins.js';
import { Codes } from './codes.js';
import { OidcConfirmation } from './confirmation.js';
import { ExternalLogins } from './external.logins.js';
import { type ReturnedLogin, returnedLoginOf } from './returned-login.js';
import { SignUps } from './sign-ups.js';

/** What the page or the app at the end of an attempt gets to know. */
export interface Outcome {
  /** For the fragment of its URL. */
  readonly fragment: Readonly<Record<string, string>>;
  /** For its cookies. Undefined if there are no new ones. */
  readonly answer?: LoginAnswer;
}

/** An attempt whose browser has come back. */
interface Returned {
  readonly attempt: Attempt;
  readonly external: ExternalLogin;
  readonly login: ReturnedLogin;
  readonly action: AuthAction;
  readonly request: object;
  readonly exchange: TransportExchange;
}

const OK = { fragment: { 'kit-auth': 'ok' } };

/** Completes attempts whose browser has come back from the provider. */
@Injectable()
export class Callbacks {
  constructor(
    private readonly providers: Providers,
    private readonly connections: ProviderConnections,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly logins: ExternalLogins,
    private readonly signUps: SignUps,
    private readonly linking: Linking,
    private readonly confirmation: OidcConfirmation,
    private readonly asking: AskingLogins,
    private readonly codes: Codes,
    private readonly events: AuthEvents,
  ) {}

  /**
   * @param attempt the attempt, which has been ended
   * @param callback the URL to which the browser came back
   * @throws AuthException 40111, 40112, 40114, 40120, 40900, 50300, and what steps of the login throw
   */
  async complete(
    attempt: Attempt,
    callback: URL,
    request: object,
    exchange: TransportExchange,
  ): Promise<Outcome> {
    const action = this.events.begin();
    const begun = this.logins.begin(attempt.provider);
    try {
      const provider = this.providers.get(attempt.provider);
      const external = await this.connections.redeem(provider, callback, attempt);
      const login = returnedLoginOf(provider, external);
      const returned = { attempt, external, login, action, request, exchange };
      return attempt.asking === undefined
        ? await this.logIn(returned, begun)
        : await this.continueLogin(returned);
    } catch (error) {
      noteFailure(action, attempt.provider, error);
      throw error;
    }
  }

  private async logIn(
    { attempt, external, login, action, exchange }: Returned,
    begun: ReturnType<ExternalLogins['begin']>,
  ): Promise<Outcome> {
    const { challenge, remember } = attempt;
    const known = await this.identities.find(login);
    const userId = known && this.users.idFrom(known.userId);
    if (known === undefined || userId === undefined) {
      const token = await this.signUps.offer(external.identity, login, attempt, exchange, action);
      return { fragment: { 'kit-auth': 'complete', token, ...shownOf(external.identity) } };
    }
    await this.logins.tell(external, userId);
    if (!(await this.identities.use(known))) {
      throw externalLoginFailed('state'); // removed in the meantime
    }
    if (challenge !== undefined) {
      const exchanged = {
        userId,
        login,
        purpose: attempt.purpose,
        remember,
        address: undefined,
        asking: undefined,
      };
      return { fragment: { code: await this.codes.issue(exchanged, challenge) } };
    }
    return { ...OK, answer: await this.logins.logIn(userId, login, begun) };
  }

  /** A link, or the confirmation of a login. */
  private async continueLogin({ attempt, external, login, action, request }: Returned): Promise<Outcome> {
    const { challenge, purpose, remember } = attempt;
    const asking = attempt.asking as NonNullable<Attempt['asking']>;
    if (challenge !== undefined) {
      const { address } = external.identity;
      const exchanged = { userId: asking.userId, login, purpose, remember, address, asking };
      return { fragment: { code: await this.codes.issue(exchanged, challenge) } };
    }
    const principal = await this.asking.require(asking, request);
    if (purpose === 'fresh') {
      return { ...OK, answer: await this.confirmation.confirm(principal, login, action) };
    }
    await this.linking.link(asking, external.identity, action);
    await this.logins.tell(external, asking.userId);
    return OK;
  }
}

/** What people see before they get an account. */
function shownOf({ provider, address, name }: ExternalIdentity): Record<string, string> {
  return { provider, ...(address !== undefined && { address }), ...(name !== undefined && { name }) };
}

/** Publishes why a login has failed, unless the steps of the login do so. */
function noteFailure(action: AuthAction, provider: string, error: unknown): void {
  if (error instanceof AuthException && error.code === AuthErrorCode.EXTERNAL_LOGIN_FAILED) {
    action.note({
      type: 'external-login-failed',
      success: false,
      detail: `${provider}: ${error.reason ?? ''}`,
      handler: 'external-login-failed',
    });
  }
}
