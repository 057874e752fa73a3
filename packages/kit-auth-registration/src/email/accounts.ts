import { Injectable } from '@nestjs/common';
import { ActiveUserStore } from 'kit-auth/extend';
import { EmailModuleParts } from './email-module-parts.js';

/** Looks up existing accounts. */
@Injectable()
export class Accounts {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly email: EmailModuleParts,
  ) {}

  /**
   * Whether an account has this address, or the username that a new account with this address would get.
   *
   * @param key the address in lower case
   */
  async has(key: string): Promise<boolean> {
    return (
      (await this.email.addresses.findByKey(key)) !== undefined ||
      (await this.users.isUsernameTaken(key, undefined))
    );
  }
}
