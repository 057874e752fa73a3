import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthException,
  type BegunLogin,
  type TransportExchange,
} from 'kit-auth';
import type { LoginAnswer } from 'kit-auth/extend';
import type { AskingLogin, Attempt } from '../attempts/attempts.js';
import { Providers } from '../config/providers.js';
import type { ExternalIdentity, ExternalLogin } from '../contract/external-identity.js';
import { ProviderConnections } from '../provider/provider.connections.js';
import { IdentityStore } from '../stores/identity.store.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { Codes, type Exchanged } from './codes.js';
import { ContinuedLogins } from './continued.logins.js';
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
  readonly begun: BegunLogin;
}

const OK = { fragment: { 'kit-auth': 'ok' } };

/** Completes attempts whose browser has come back from the provider. */
@Injectable()
export class Callbacks {
  constructor(
    private readonly providers: Providers,
    private readonly connections: ProviderConnections,
    private readonly identities: IdentityStore,
    private readonly logins: ExternalLogins,
    private readonly signUps: SignUps,
    private readonly continued: ContinuedLogins,
    private readonly codes: Codes,
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
    const begun = this.logins.begin(attempt.provider);
    try {
      const provider = this.providers.get(attempt.provider);
      const askedAt = Date.now();
      const external = await this.connections.redeem(provider, callback, attempt);
      const returned = { attempt, external, login: returnedLoginOf(provider, external, askedAt), begun };
      return attempt.asking === undefined
        ? await this.logIn(returned, exchange)
        : await this.continueLogin(returned, attempt.asking, request);
    } catch (error) {
      noteFailure(begun.action, attempt.provider, error);
      throw error;
    }
  }

  private async logIn(
    { attempt, external, login, begun }: Returned,
    exchange: TransportExchange,
  ): Promise<Outcome> {
    const known = await this.identities.find(login);
    if (known === undefined) {
      const identity = (await external.verified?.()) ?? external.identity;
      const token = await this.signUps.offer(identity, login, attempt, exchange, begun.action);
      return { fragment: { 'kit-auth': 'complete', token, ...shownOf(identity) } };
    }
    const { userId } = known;
    await this.logins.tell(external, userId);
    if (!(await this.identities.use(known))) {
      throw externalLoginFailed('state'); // removed in the meantime
    }
    return attempt.challenge === undefined
      ? { ...OK, answer: await this.logins.logIn(userId, login, begun) }
      : this.codeFor({ ...attempt, userId, login, address: undefined }, attempt.challenge);
  }

  /** A link, or the confirmation of a login. */
  private async continueLogin(
    { attempt, external, login, begun }: Returned,
    asking: AskingLogin,
    request: object,
  ): Promise<Outcome> {
    const { challenge, purpose } = attempt;
    const { address } = external.identity;
    if (challenge !== undefined) {
      return this.codeFor({ ...attempt, userId: asking.userId, login, address }, challenge);
    }
    const answer = await this.continued.continue({ purpose, asking, login, address }, request, begun);
    if (answer !== undefined) {
      return { ...OK, answer };
    }
    await this.logins.tell(external, asking.userId);
    return OK;
  }

  private async codeFor(
    { purpose, remember, userId, login, address, asking }: Exchanged,
    challenge: string,
  ): Promise<Outcome> {
    const exchanged = { purpose, remember, userId, login, address, asking };
    return { fragment: { code: await this.codes.issue(exchanged, challenge) } };
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
