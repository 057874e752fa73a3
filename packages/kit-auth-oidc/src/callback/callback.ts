import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthException,
  type BegunLogin,
  type TransportExchange,
} from 'kit-auth';
import type { LoginAnswer } from 'kit-auth/login';
import { IdentityLogin, type ProviderLogin, providerLoginOf } from '../identities/identity.login.js';
import { LinkOrConfirmation } from '../link/link-or-confirmation.js';
import type { Fragment } from '../navigation.js';
import type { ExternalIdentity, ExternalLogin } from '../providers/external-identity.js';
import { ProviderConnections } from '../providers/provider.connections.js';
import { Providers } from '../providers/providers.js';
import { externalLoginFailed } from '../refusals.js';
import { SignUps } from '../sign-up/sign-ups.js';
import type { Attempt, Initiator } from '../start/attempts.js';
import { IdentityStore } from '../stores/identity.store.js';
import { CodeExchange, type CodeSubject } from './code.exchange.js';

/** The result of an attempt, passed to the return URL. */
export interface Outcome {
  readonly fragment: Fragment;
  /** For the cookies of the page. Undefined if they do not change. */
  readonly answer?: LoginAnswer;
}

/** An attempt with the answer of the provider. */
interface Callback {
  readonly attempt: Attempt;
  readonly external: ExternalLogin;
  readonly login: ProviderLogin;
  readonly begun: BegunLogin;
}

const OK = { fragment: { 'kit-auth': 'ok' } };

/** Completes attempts after the browser has come back from the provider. */
@Injectable()
export class Callbacks {
  constructor(
    private readonly providers: Providers,
    private readonly connections: ProviderConnections,
    private readonly identities: IdentityStore,
    private readonly logins: IdentityLogin,
    private readonly signUps: SignUps,
    private readonly linkOrConfirmation: LinkOrConfirmation,
    private readonly codes: CodeExchange,
  ) {}

  /**
   * @param attempt it was used up before
   * @param callback the URL to which the browser came back
   * @throws AuthException 40111, 40112, 40114, 40120, 40900, 50300, and the refusals of login steps
   */
  async complete(
    attempt: Attempt,
    callback: URL,
    request: object,
    exchange: TransportExchange,
  ): Promise<Outcome> {
    const begun = this.logins.begin();
    try {
      const provider = this.providers.get(attempt.provider);
      const askedAt = Date.now();
      const external = await this.connections.redeem(provider, callback, attempt);
      const answered = { attempt, external, login: providerLoginOf(provider, external, askedAt), begun };
      return attempt.initiator === undefined
        ? await this.logIn(answered, exchange)
        : await this.linkOrConfirm(answered, attempt.initiator, request);
    } catch (error) {
      noteFailure(begun.action, attempt.provider, error);
      throw error;
    }
  }

  /** Logs in with a linked identity, or offers an account for an unknown one. */
  private async logIn(
    { attempt, external, login, begun }: Callback,
    exchange: TransportExchange,
  ): Promise<Outcome> {
    const linked = await this.identities.find(login);
    if (linked === undefined) {
      const identity = (await external.verified?.()) ?? external.identity;
      const token = await this.signUps.offer(identity, login, attempt, exchange, begun.action);
      return { fragment: { 'kit-auth': 'complete', token, ...shownOf(identity) } };
    }
    const { userId } = linked;
    await this.logins.callOnLogin(external, userId);
    if (!(await this.identities.use(linked))) {
      throw externalLoginFailed('state'); // it was removed meanwhile
    }
    return attempt.challenge === undefined
      ? { ...OK, answer: await this.logins.logIn(userId, login, begun) }
      : this.codeFor({ ...attempt, userId, login, address: undefined }, attempt.challenge);
  }

  private async linkOrConfirm(
    { attempt, external, login, begun }: Callback,
    initiator: Initiator,
    request: object,
  ): Promise<Outcome> {
    const { challenge, purpose } = attempt;
    const { userId } = initiator;
    const { address } = external.identity;
    if (challenge !== undefined) {
      return this.codeFor({ ...attempt, userId, login, address }, challenge);
    }
    const task = { purpose, initiator, login, address };
    const answer = await this.linkOrConfirmation.complete(task, request, begun);
    if (answer !== undefined) {
      return { ...OK, answer };
    }
    await this.logins.callOnLogin(external, userId);
    return OK;
  }

  private async codeFor(
    { purpose, remember, userId, login, address, initiator }: CodeSubject,
    challenge: string,
  ): Promise<Outcome> {
    const subject = { purpose, remember, userId, login, address, initiator };
    return { fragment: { code: await this.codes.issue(subject, challenge) } };
  }
}

/** The parts of an identity that people see before they get an account. */
function shownOf({ provider, address, name }: ExternalIdentity): Record<string, string> {
  return { provider, ...(address !== undefined && { address }), ...(name !== undefined && { name }) };
}

/** Publishes 40114. Login steps publish other refusals. */
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
