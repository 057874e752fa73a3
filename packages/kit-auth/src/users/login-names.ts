import { Injectable } from '@nestjs/common';
import { MAX_USERNAME_LENGTH } from '../contract/settings.js';
import type { StoredUser } from '../contract/user-store.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from './active.user-store.js';
import { parseAddress } from './address.js';

/** The account that a user means with a name. */
export interface NamedAccount {
  /** The usual spelling of an unknown address, so that attempts with any spelling count together. */
  readonly username: string;
  /** Undefined if there is none. */
  readonly account: StoredUser | undefined;
}

/** Finds accounts by the names that people type. */
@Injectable()
export class LoginNames {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly ports: Ports,
  ) {}

  /**
   * Finds the account that a user means with an email address: its owner, if the address is verified, otherwise the account
   * with that username, in its usual spelling or as it was typed. Case, outer spaces and the script of the domain do not
   * matter.
   *
   * @returns undefined if the name is not an email address, or too long for a username
   * @throws AuthException 50300
   */
  async byAddress(typed: string): Promise<NamedAccount | undefined> {
    const key = isUsername(typed) ? parseAddress(typed.trim())?.key : undefined;
    if (key === undefined) {
      return undefined;
    }
    const owner = await this.ownerOf(key);
    const named = await this.users.findByUsername(key);
    const asTyped = typed === key ? undefined : await this.users.findByUsername(typed);
    const account = owner ?? named ?? asTyped;
    return { username: account?.username ?? key, account };
  }

  /** The account with a verified address. */
  private async ownerOf(key: string): Promise<StoredUser | undefined> {
    const { addresses } = this.ports;
    if (addresses === undefined) {
      return undefined;
    }
    const owner = (await addresses.ownerOf(key)) ?? undefined;
    if (owner?.verified !== true) {
      // There are as many look-ups as for an owner, so that their time does not tell who has an account.
      await this.users.findByUsername(key);
      await this.users.findByUsername(key);
      return undefined;
    }
    const username = await this.users.usernameOf(owner.userId);
    const account = await this.users.findByUsername(username ?? key);
    return account?.id === owner.userId ? account : undefined;
  }
}

/** Whether an account can have this name. */
export function isUsername(text: string): boolean {
  return text.length <= MAX_USERNAME_LENGTH && text.isWellFormed() && !text.includes('\0');
}
