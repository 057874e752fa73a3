import { Injectable } from '@nestjs/common';
import { AuthEvents } from 'kit-auth';
import { ActiveUserStore, type LoginAnswer } from 'kit-auth/extend';
import type { AskingLogin } from '../attempts/attempts.js';
import { Linking } from '../identities/linking.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { IdentityStore } from '../stores/identity.store.js';
import { AskingLogins } from './asking.logins.js';
import { Codes } from './codes.js';
import { OidcConfirmation } from './confirmation.js';
import { ExternalLogins } from './external.logins.js';

/** What an app gets for its code. */
export interface ExchangedAnswer {
  /** Undefined for a link, which leaves the login as it is. */
  readonly answer: LoginAnswer | undefined;
  readonly remember: boolean;
}

/** Exchanges codes of apps, and of pages without cookies. */
@Injectable()
export class CodeExchange {
  constructor(
    private readonly codes: Codes,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly logins: ExternalLogins,
    private readonly linking: Linking,
    private readonly confirmation: OidcConfirmation,
    private readonly asking: AskingLogins,
    private readonly events: AuthEvents,
  ) {}

  /**
   * @param request its body has what steps of the login ask for. For a link and a confirmation, it has the token of the login
   * that asked
   * @throws AuthException 40114 `state`, and like `Callbacks.complete`
   */
  async exchange(
    code: string,
    verifier: string,
    request: { readonly body?: unknown },
  ): Promise<ExchangedAnswer> {
    const action = this.events.begin();
    const begun = this.logins.begin('', request);
    const { userId, login, purpose, remember, address, asking } = await this.codes.exchange(code, verifier);
    if (purpose === 'login') {
      const known = await this.identities.find(login);
      if (known === undefined || this.users.idFrom(known.userId) !== userId) {
        throw externalLoginFailed('state'); // removed in the meantime
      }
      const first = `oidc:${login.provider}`;
      return { answer: await this.logins.logIn(userId, login, { ...begun, first }), remember };
    }
    const principal = await this.asking.require(asking as AskingLogin, request);
    if (purpose === 'fresh') {
      return { answer: await this.confirmation.confirm(principal, login, action), remember };
    }
    await this.linking.link(asking as AskingLogin, { ...login, address }, action);
    return { answer: undefined, remember };
  }
}
