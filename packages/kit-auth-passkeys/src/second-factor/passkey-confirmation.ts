import { Injectable } from '@nestjs/common';
import { KitAuthContext, type LoginUser, type Principal } from 'kit-auth';
import { badRequest } from 'kit-auth/extend';
import { SecondFactorLogin } from 'kit-auth/second-factor';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import { WebAuthn } from '../ceremonies/web-authn.js';
import { PasskeyLimits } from '../login/passkey.limits.js';
import type { RequestCeremony } from '../login/passkey.login.js';
import { PasskeyStore } from '../stores/passkey.store.js';
import { loginOf, PURPOSE } from './confirming-login.js';

/** Begins ceremonies with the passkeys of a known user. */
@Injectable()
export class PasskeyConfirmation {
  constructor(
    private readonly store: PasskeyStore,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly limits: PasskeyLimits,
    private readonly login: SecondFactorLogin,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * For a login that waits for its second factor.
   *
   * @throws AuthException 40113 with the reason `challenge-ended`, 40000 for a user without a passkey, 42900
   */
  async forLogin(challenge: string): Promise<RequestCeremony> {
    await this.limits.countCeremony(this.context.client());
    return this.begin(await this.login.userOf(challenge), challenge);
  }

  /**
   * For a login that is to be confirmed.
   *
   * @throws AuthException 40000 for a user without a passkey, 42900
   */
  async forFresh(principal: Principal): Promise<RequestCeremony> {
    await this.limits.countCeremonyOf(principal.user.userId);
    return this.begin(principal.user, undefined, principal);
  }

  private async begin(
    { userId }: LoginUser,
    challenge: string | undefined,
    principal?: Principal,
  ): Promise<RequestCeremony> {
    const passkeys = await this.store.listOf(userId);
    if (passkeys.length === 0) {
      throw badRequest('This user has no passkey'); // without a list, any passkey could answer
    }
    const owner = { userId, login: loginOf(challenge, principal) };
    const begun = await this.ceremonies.begin(PURPOSE, owner);
    const options = await this.webAuthn.requestOptions(begun.challenge, passkeys);
    return { ceremony: begun.ceremony, options, expiresAt: begun.expiresAt };
  }
}
