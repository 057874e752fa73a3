import { Injectable } from '@nestjs/common';
import type { BegunLogin } from 'kit-auth';
import { type LoginAnswer, LoginWays } from 'kit-auth/extend';
import type { AskingLogin, Attempt } from '../attempts/attempts.js';
import type { ExternalIdentity } from '../contract/external-identity.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { Linking } from '../identities/linking.js';
import { AskingLogins } from './asking.logins.js';
import { OidcConfirmation } from './confirmation.js';
import type { ReturnedLogin } from './returned-login.js';

/** A link or a confirmation, whose user has come back from the provider. */
export interface Continued extends Pick<Attempt, 'purpose'> {
  readonly asking: AskingLogin;
  readonly login: ReturnedLogin;
  /** As claimed, for a link. */
  readonly address: ExternalIdentity['address'];
}

/** Continues the logins that have asked for a link or a confirmation. */
@Injectable()
export class ContinuedLogins {
  constructor(
    private readonly asking: AskingLogins,
    private readonly confirmation: OidcConfirmation,
    private readonly linking: Linking,
    private readonly ways: LoginWays,
  ) {}

  /**
   * @param request has the token of the login that asked
   * @returns undefined for a link, which leaves the login as it is
   * @throws AuthException 40114 `state`, also for a link that began before the user had a second factor, and those of
   * `OidcConfirmation` and `Linking`
   */
  async continue(
    { purpose, asking, login, address }: Continued,
    request: object,
    begun: Pick<BegunLogin, 'action' | 'client'>,
  ): Promise<LoginAnswer | undefined> {
    const principal = await this.asking.require(asking, request);
    if (purpose === 'fresh') {
      return this.confirmation.confirm(principal, login, begun);
    }
    if (!(await this.ways.hasShownSecond(principal))) {
      throw externalLoginFailed('state');
    }
    await this.linking.link(principal, { ...login, address }, begun.action);
    return undefined;
  }
}
