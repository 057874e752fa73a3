import { Injectable } from '@nestjs/common';
import type { AccountChange, UserId } from 'kit-auth';
import { ActiveUserStore, rolesDetail } from 'kit-auth/feature';
import { OneTimeTokens } from 'kit-auth/store';
import { taken } from '../accounts.js';
import { EmailModuleParts } from '../email-module-parts.js';
import { INVITE, type InvitationData, REGISTER } from '../link-tokens.js';

/** An account to insert. */
export interface NewAccount {
  /** The address, as it was typed. */
  readonly address: string;
  /** The address in lower case. It becomes the username. */
  readonly username: string;
  /** Default: from the invitation, or else the part of the address before the `@`. */
  readonly nickname?: string | undefined;
  /** Absent for an account without a password. */
  readonly passwordHash?: string;
  readonly roles: readonly string[];
  readonly invitation: InvitationData | undefined;
}

/** Inserts accounts whose users have proven their address. */
@Injectable()
export class NewAccounts {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly email: EmailModuleParts,
    private readonly tokens: OneTimeTokens,
  ) {}

  /** Inserts the user and the address, and notes the event. @throws AuthException 40900 when the address is taken */
  async insert(
    { address, username, nickname, passwordHash, roles, invitation }: NewAccount,
    change: AccountChange,
  ): Promise<UserId> {
    if ((await this.email.addresses.findByKey(username, change.transaction)) !== undefined) {
      throw taken();
    }
    const userId = await this.users.createUser(
      {
        username,
        nickname: nickname ?? invitation?.nickname ?? localPartOf(address),
        ...(passwordHash !== undefined && { passwordHash }),
        roles: [...roles],
      },
      change,
    );
    const proved = { verified: true, source: 'owner' } as const;
    await this.email.addresses.assign(userId, address, proved, change.transaction);
    const detail = `${invitation === undefined ? '' : 'invited, '}${rolesDetail(roles)}`;
    await change.note({ type: 'registered', subjectId: userId, subject: username, detail });
    return userId;
  }

  /**
   * Cancels the other links to the address. Call it after the transaction, because two concurrent ones would deadlock.
   *
   * @param subject the address in lower case
   */
  async cancelLinksTo(subject: string): Promise<void> {
    try {
      await this.tokens.cancel({ purpose: REGISTER, subject });
      await this.tokens.cancel({ purpose: INVITE, subject });
    } catch {
      // If this fails, the other links answer 40900 until they expire.
    }
  }
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
