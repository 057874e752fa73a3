import { Injectable } from '@nestjs/common';
import type { LoginAttempt, LoginStep, NamedLogin } from 'kit-auth';
import { externalLoginFailed } from '../contract/refusals.js';
import { IdentityStore } from '../stores/identity.store.js';
import { ProviderLogins } from '../stores/provider-logins.js';
import type { ReturnedLogin } from './returned-login.js';

/** What a login keeps until it is complete. */
export type LoginMemo = Omit<ReturnedLogin, 'factors'>;

/** For logins whose end is not known. */
const LONGEST_MS = 400 * 24 * 60 * 60 * 1000;

/** What identities add to the logins of their users. */
@Injectable()
export class OidcStep implements LoginStep {
  constructor(
    private readonly identities: IdentityStore,
    private readonly providerLogins: ProviderLogins,
  ) {}

  /**
   * Remembers the login for back-channel logout.
   *
   * @throws AuthException 40114 `state` when the identity was removed since the login began, or its provider has logged the user
   * out
   */
  async opened({ user, loginId, endsAt }: NamedLogin, { first, memo }: LoginAttempt): Promise<void> {
    if (memo === undefined || !first.startsWith('oidc:')) {
      return;
    }
    const { provider, issuer, subject, sub, sid, askedAt } = memo as LoginMemo;
    const isStored = loginId !== undefined && sub !== undefined;
    if (isStored) {
      await this.providerLogins.insert({
        id: loginId,
        userId: String(user.userId),
        provider,
        issuer,
        subject: sub,
        sid: sid ?? null,
        expiresAt: endsAt === undefined ? Date.now() + LONGEST_MS : endsAt * 1000,
      });
    }
    // After the row is stored: a logout that is not found yet will find the row.
    const isLoggedOut = isStored && (await this.providerLogins.isLoggedOut({ issuer, sub, sid }, askedAt));
    const identity = isLoggedOut ? undefined : await this.identities.find({ issuer, subject });
    if (identity?.userId !== user.userId) {
      await this.providerLogins.remove(isStored ? [loginId] : []);
      throw externalLoginFailed('state');
    }
  }
}
