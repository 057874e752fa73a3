import { Inject, Injectable, Optional } from '@nestjs/common';
import type { AccountChange, AuthAction, UserId } from 'kit-auth';
import { ActiveUserStore, type Address, invalidLink } from 'kit-auth/feature';
import { type OneTimeToken, OneTimeTokens } from 'kit-auth/store';
import { type LoginLinkSignUp, LoginLinkSignUps } from 'kit-auth-email';
import { registrationOptions, type ResolvedRegistrationOptions } from '../registration.options.js';
import { Accounts } from '../accounts.js';
import { DefaultRoles } from './default-roles.js';
import { InvitationRoles } from '../invitations/invitation-roles.js';
import { INVITE, type InvitationData } from '../link-tokens.js';
import { NewAccounts } from './new-accounts.js';

/** An invitation that its inviter could still send. */
interface UsableInvitation {
  readonly token: OneTimeToken;
  readonly data: InvitationData;
  readonly roles: readonly string[];
}

/**
 * Creates accounts with the login links of `kit-auth-email`. A login link proves the address as an invitation does, so an invited
 * user gets the roles of the invitation, and may use the link with the mode `invited`.
 */
@Injectable()
export class LinkSignUps implements LoginLinkSignUp {
  private readonly isOpen: boolean;

  constructor(
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly existing: Accounts,
    private readonly accounts: NewAccounts,
    private readonly everybody: DefaultRoles,
    private readonly invited: InvitationRoles,
    @Inject(registrationOptions.token) { settings }: ResolvedRegistrationOptions,
    @Optional() signUps?: LoginLinkSignUps,
  ) {
    this.isOpen = settings.mode === 'open';
    signUps?.use(this);
  }

  async allows(key: string): Promise<boolean> {
    return !(await this.existing.has(key)) && (this.isOpen || (await this.invitationTo(key)) !== undefined);
  }

  async signUp(
    { address, key }: Address,
    action: AuthAction,
    claim: (transaction: unknown) => Promise<void>,
  ): Promise<UserId> {
    const userId = await this.users.transaction(action, async (change) => {
      const invitation = await this.invitationTo(key, change);
      if (!this.isOpen && invitation === undefined) {
        throw invalidLink();
      }
      const roles = [...new Set([...(await this.everybody.get(change)), ...(invitation?.roles ?? [])])];
      await claim(change.transaction);
      if (invitation !== undefined) {
        await this.tokens.claim(INVITE, invitation.token, change.transaction);
      }
      return this.accounts.insert({ address, username: key, roles, invitation: invitation?.data }, change);
    });
    await this.accounts.cancelLinksTo(key);
    return userId;
  }

  private async invitationTo(subject: string, change?: AccountChange): Promise<UsableInvitation | undefined> {
    const token = (await this.tokens.list({ purpose: INVITE, subject }, change?.transaction)).at(-1);
    if (token === undefined) {
      return undefined;
    }
    const data = token.data as InvitationData;
    const roles = await this.invited.find(data, change);
    return roles && { token, data, roles };
  }
}
