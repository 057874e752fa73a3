import { Injectable } from '@nestjs/common';
import type { AuthAction, BegunLogin, Principal } from 'kit-auth';
import { ActiveUserStore, invalidToken } from 'kit-auth/feature';
import { type LoginAnswer, LoginWays } from 'kit-auth/login';
import type { ProviderLogin } from '../identities/identity.login.js';
import { externalLoginFailed } from '../refusals.js';
import type { Attempt, Initiator } from '../start/attempts.js';
import { IdentityStore, identityTaken, type NewIdentity } from '../stores/identity.store.js';
import { OidcConfirmation } from './confirmation.js';
import { Initiators } from './initiators.js';

/** A link or a re-authentication, after the user has come back from the provider. */
export interface InitiatorTask extends Pick<Attempt, 'purpose'> {
  readonly initiator: Initiator;
  readonly login: ProviderLogin;
  /** The unverified address, for a link. */
  readonly address: string | undefined;
}

/** Links an identity to the user who started the attempt, or confirms the login that started it. */
@Injectable()
export class LinkOrConfirmation {
  constructor(
    private readonly initiators: Initiators,
    private readonly confirmation: OidcConfirmation,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly ways: LoginWays,
  ) {}

  /**
   * @param request has the token of the initiator
   * @returns undefined for a link, which does not change the login
   * @throws AuthException 40114 `state`, also if the user has added a second factor since the link began; 40900 `taken` for an
   * identity of another user, 40900 `limit` for the eleventh, 40101 for a user who was disabled or changed; and the refusals of
   * `OidcConfirmation`
   */
  async complete(
    { purpose, initiator, login, address }: InitiatorTask,
    request: object,
    begun: Pick<BegunLogin, 'action' | 'client'>,
  ): Promise<LoginAnswer | undefined> {
    const principal = await this.initiators.require(initiator, request);
    if (purpose === 'fresh') {
      return this.confirmation.confirm(principal, login, begun);
    }
    if (!(await this.ways.hasShownSecond(principal))) {
      throw externalLoginFailed('state');
    }
    const { provider, issuer, subject } = login;
    await this.link(principal, { provider, issuer, subject, address: address ?? null }, begun.action);
    return undefined;
  }

  /** Does nothing if the user has linked the identity before. */
  private async link(principal: Principal, identity: NewIdentity, action: AuthAction): Promise<void> {
    const { userId } = principal.user;
    // First, so that `adding()` notices a change in between.
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    const found = await this.identities.find(identity);
    if (found !== undefined) {
      if (found.userId !== userId) {
        throw identityTaken();
      }
      return;
    }
    await this.ways.adding(action, { principal, user, stamp }, async (change) => {
      await this.identities.insert(userId, identity, false, change.transaction);
      const about = { subjectId: userId, subject: user.username };
      await change.note({ type: 'identity-linked', ...about, detail: identity.provider });
    });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'identity-linked': true;
  }
}
