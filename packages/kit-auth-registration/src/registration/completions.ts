import { Inject, Injectable } from '@nestjs/common';
import { type AccountChange, AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import {
  ActiveUserStore,
  conflict,
  type LoginAnswer,
  LoginFlow,
  NewPasswords,
  rolesDetail,
} from 'kit-auth/extend';
import { OneTimeTokens, type PeekedToken } from 'kit-auth/one-time';
import { Accounts } from '../email/accounts.js';
import { EmailModuleParts } from '../email/email-module-parts.js';
import { registrationOptions, type ResolvedRegistrationOptions } from '../config/registration.options.js';
import { INVITE, type InvitationData, REGISTER, type RegistrationData } from '../tokens/link-tokens.js';
import { DefaultRoles } from '../roles/default-roles.js';
import { InvitationRoles } from '../roles/invitation-roles.js';

/** The values that a new user chooses. */
export interface Chosen {
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
    private readonly email: EmailModuleParts,
    private readonly accounts: Accounts,
    private readonly everybody: DefaultRoles,
    private readonly invited: InvitationRoles,
    private readonly flow: LoginFlow,
    @Inject(registrationOptions.token) { settings }: ResolvedRegistrationOptions,
  ) {
    this.purposes = settings.mode === 'open' ? [REGISTER, INVITE] : [INVITE];
  }

  /**
   * @param request its body has what steps of the login ask for
   * @throws AuthException 40010 for an invalid or expired link, one that was tried too often, or whose inviter may no longer invite;
   * 40000 when the password is not allowed, which does not count as an attempt; 40900 when the address belongs to an
   * account by now; 50300 when the queue for hashes is full. A refused request leaves the link usable if the user store's
   * transaction runs in the data source of `auth_one_time`.
   */
  async complete(token: string, chosen: Chosen, request: { readonly body?: unknown }): Promise<LoginAnswer> {
    const begun = this.flow.begin('password', request);
    const { action, client } = begun;
    const link = await this.tokens.peek(this.purposes, token);
    const username = link.subject as string;
    // Checked before the slow hash. The transaction checks all of it again.
    await this.requireFree(username, token);
    await this.rolesOf(link);
    await this.passwords.check(chosen.password, username);
    const userId = await this.tokens.attempting(link.purpose, token, async () => {
      const passwordHash = await this.passwords.hash(chosen.password, username, client);
      return this.users.transaction(action, (change) =>
        this.create(link, token, { ...chosen, passwordHash }, change),
      );
    });
    await this.cancelOthers(username);
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
    { nickname, passwordHash }: Pick<Chosen, 'nickname'> & { passwordHash: string },
    change: AccountChange,
  ): Promise<UserId> {
    const { purpose } = link;
    const username = link.subject as string;
    const { address } = link.data as RegistrationData;
    const roles = await this.rolesOf(link, change);
    await this.tokens.claim(purpose, token, change.transaction);
    if ((await this.email.addresses.findByKey(username, change.transaction)) !== undefined) {
      throw taken();
    }
    const userId = await this.users.createUser(
      {
        username,
        nickname: nickname ?? invitationOf(link)?.nickname ?? localPartOf(address),
        passwordHash,
        roles,
      },
      change,
    );
    await this.email.addresses.assign(userId, address, { verified: true }, change.transaction);
    const detail = `${purpose === INVITE ? 'invited, ' : ''}${rolesDetail(roles)}`;
    await change.note({ type: 'registered', subjectId: userId, subject: username, detail });
    return userId;
  }

  /**
   * Cancels the other links to the address. Runs after the transaction, because two concurrent completions would
   * deadlock.
   */
  private async cancelOthers(subject: string): Promise<void> {
    try {
      await this.tokens.cancel({ purpose: REGISTER, subject });
      await this.tokens.cancel({ purpose: INVITE, subject });
    } catch {
      // If this fails, the other links answer 40900 until they expire.
    }
  }
}

function invitationOf({ purpose, data }: PeekedToken): InvitationData | undefined {
  return purpose === INVITE ? (data as InvitationData) : undefined;
}

function localPartOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** A user has verified an address, and now has an account. */
    registered: true;
  }
}

export function taken(): AuthException {
  return conflict('There is an account with this address');
}
