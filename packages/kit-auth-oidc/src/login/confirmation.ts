import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type BegunLogin, type Principal } from 'kit-auth';
import { ActiveUserStore, invalidToken, type LoginAnswer, LoginConfirmation } from 'kit-auth/extend';
import { IdentityStore } from '../stores/identity.store.js';
import type { ReturnedLogin } from './returned-login.js';

/** How long ago the provider may have asked its user, in seconds. */
const WITHIN = 60;

/** Confirms logins with an identity of their user. */
@Injectable()
export class OidcConfirmation {
  constructor(
    private readonly confirmation: LoginConfirmation,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * @param principal the login to confirm
   * @throws AuthException 40120 for an identity of somebody else, and when the provider has not asked its user just now; 40101,
   * and those of `LoginConfirmation`
   */
  async confirm(
    principal: Principal,
    { issuer, subject, factors }: ReturnedLogin,
    begun: Pick<BegunLogin, 'action' | 'client'>,
  ): Promise<LoginAnswer> {
    const { userId } = principal.user;
    // First, so that a removal of the identity in between is noticed.
    const stamp = await this.users.stampOf(userId);
    const identity = await this.identities.find({ issuer, subject });
    if (identity?.userId !== userId || Math.floor(Date.now() / 1000) - factors.oidc > WITHIN) {
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
