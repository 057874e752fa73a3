import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type BegunLogin, type Principal } from 'kit-auth';
import { ActiveUserStore, invalidToken } from 'kit-auth/feature';
import { type LoginAnswer, LoginConfirmation } from 'kit-auth/login';
import type { ProviderLogin } from '../identities/identity.login.js';
import { IdentityStore } from '../stores/identity.store.js';

/** The maximum age of the authentication at the provider, in seconds. */
const MAX_AGE = 60;

/** Confirms logins by a re-authentication at a provider. */
@Injectable()
export class OidcConfirmation {
  constructor(
    private readonly confirmation: LoginConfirmation,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * @param principal the login to confirm
   * @throws AuthException 40120 for an identity of another user, and if the provider did not ask its user in the last minute;
   * 40101, and the refusals of `LoginConfirmation`
   */
  async confirm(
    principal: Principal,
    { issuer, subject, factors }: ProviderLogin,
    begun: Pick<BegunLogin, 'action' | 'client'>,
  ): Promise<LoginAnswer> {
    const { userId } = principal.user;
    // First, so that a removal of the identity in between is noticed.
    const stamp = await this.users.stampOf(userId);
    const identity = await this.identities.find({ issuer, subject });
    if (identity?.userId !== userId || Math.floor(Date.now() / 1000) - factors.oidc > MAX_AGE) {
      throw AuthException.refusal(AuthErrorCode.FRESH_LOGIN_REQUIRED, {
        missing: ['oidc'],
        reason: 'expired',
      });
    }
    const user = await this.users.loadLoginUser(userId);
    if (stamp === undefined || user === undefined) {
      throw invalidToken('disabled');
    }
    const shown = { user, stamp, proof: { factors } };
    return this.confirmation.confirm(principal, shown, begun);
  }
}
