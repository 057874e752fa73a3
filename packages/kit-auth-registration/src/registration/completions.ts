import { Inject, Injectable } from '@nestjs/common';
import { type AccountChange, AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { type LoginAnswer, LoginFlow, NewPasswords } from 'kit-auth/login';
import { OneTimeTokens, type PeekedToken } from 'kit-auth/store';
import { Accounts, taken } from '../accounts.js';
import { registrationOptions, type ResolvedRegistrationOptions } from '../registration.options.js';
import { INVITE, type InvitationData, REGISTER, type RegistrationData } from '../link-tokens.js';
import { DefaultRoles } from './default-roles.js';
import { InvitationRoles } from '../invitations/invitation-roles.js';
import { NewAccounts } from './new-accounts.js';

/** Values that a new user chooses. */
export interface Profile {
  readonly password: string;
  readonly nickname: string | undefined;
}

/** Creates accounts with the tokens of links, and logs their users in. */
@Injectable()
export class Completions {
  /** The purposes of the links that are accepted. */
  private readonly purposes: readonly string[];

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly passwords: NewPasswords,
    private readonly users: ActiveUserStore,
    private readonly accounts: Accounts,
    private readonly newAccounts: NewAccounts,
    private readonly everybody: DefaultRoles,
    private readonly invited: InvitationRoles,
    private readonly flow: LoginFlow,
    @Inject(registrationOptions.token) { settings }: ResolvedRegistrationOptions,
  ) {
    this.purposes = settings.mode === 'open' ? [REGISTER, INVITE] : [INVITE];
  }

  /**
   * @param request its body has the members that login steps read
   * @throws AuthException 40010 for an invalid or expired link, one that was tried too often, or whose inviter may no longer invite;
   * 40000 when the password is not allowed (this does not count as an attempt); 40900 when the address belongs to an account
   * by now; 50300 when the queue for hashes is full. A refused request leaves the link usable if the user store's
   * transaction runs in the data source of `auth_one_time`.
   */
  async complete(
    token: string,
    profile: Profile,
    request: { readonly body?: unknown },
  ): Promise<LoginAnswer> {
    const begun = this.flow.begin('password', request);
    const { action, client } = begun;
    const link = await this.tokens.peek(this.purposes, token);
    const username = link.subject as string;
    // Checked before the slow hash. The transaction checks all of it again.
    await this.requireFree(username, token);
    await this.rolesOf(link);
    await this.passwords.check(profile.password, username);
    const userId = await this.tokens.attempting(link.purpose, token, async () => {
      const passwordHash = await this.passwords.hash(profile.password, username, client);
      return this.users.transaction(action, (change) =>
        this.create(link, token, { ...profile, passwordHash }, change),
      );
    });
    await this.newAccounts.cancelLinksTo(username);
    const [user, stamp] = await Promise.all([this.users.loadLoginUser(userId), this.users.stampOf(userId)]);
    if (user === undefined || stamp === undefined) {
      throw new AuthException(AuthErrorCode.USER_DISABLED);
    }
    const now = Math.floor(Date.now() / 1000);
    const proof = { factors: { password: now, email: now } };
    return this.flow.proceed({ user, stamp, proof }, { ...begun, username });
  }

  /**
   * Refuses an address that belongs to an account, even if the user store's transaction cannot roll back the claim.
   *
   * @throws AuthException 40010 when that account was created with this link, otherwise 40900
   */
  private async requireFree(username: string, token: string): Promise<void> {
    if (await this.accounts.has(username)) {
      await this.tokens.peek(this.purposes, token);
      throw taken();
    }
  }

  /** @throws AuthException 40010 for an invitation that its inviter could no longer send, 50300 */
  private async rolesOf(link: PeekedToken, change?: AccountChange): Promise<string[]> {
    const invitation = invitationOf(link);
    const ofInvitation = invitation === undefined ? [] : await this.invited.get(invitation, change);
    return [...new Set([...(await this.everybody.get(change)), ...ofInvitation])];
  }

  private async create(
    link: PeekedToken,
    token: string,
    { nickname, passwordHash }: Pick<Profile, 'nickname'> & { passwordHash: string },
    change: AccountChange,
  ): Promise<UserId> {
    const { purpose } = link;
    const username = link.subject as string;
    const { address } = link.data as RegistrationData;
    const roles = await this.rolesOf(link, change);
    await this.tokens.claim(purpose, token, change.transaction);
    const account = { address, username, nickname, passwordHash, roles, invitation: invitationOf(link) };
    return this.newAccounts.insert(account, change);
  }
}

function invitationOf({ purpose, data }: PeekedToken): InvitationData | undefined {
  return purpose === INVITE ? (data as InvitationData) : undefined;
}
