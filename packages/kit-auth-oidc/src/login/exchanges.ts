import { Injectable } from '@nestjs/common';
import type { LoginAnswer } from 'kit-auth/extend';
import { externalLoginFailed } from '../contract/refusals.js';
import { IdentityStore } from '../stores/identity.store.js';
import { Codes } from './codes.js';
import { ContinuedLogins } from './continued.logins.js';
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
    private readonly logins: ExternalLogins,
    private readonly continued: ContinuedLogins,
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
    const begun = this.logins.begin('', request);
    const { userId, asking, remember, ...returned } = await this.codes.exchange(code, verifier);
    const { login } = returned;
    if (asking === undefined) {
      if ((await this.identities.find(login))?.userId !== userId) {
        throw externalLoginFailed('state'); // removed in the meantime
      }
      const first = `oidc:${login.provider}`;
      return { answer: await this.logins.logIn(userId, login, { ...begun, first }), remember };
    }
    return { answer: await this.continued.continue({ ...returned, asking }, request, begun), remember };
  }
}
