import { Injectable } from '@nestjs/common';
import { ActiveUserStore, conflict } from 'kit-auth/feature';
import { EmailModuleParts } from './email-module-parts.js';

/** Looks up existing accounts. */
@Injectable()
export class Accounts {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly email: EmailModuleParts,
  ) {}

  /**
   * Tells whether an account has this address, or the username of a new account with it.
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

export function taken() {
  return conflict('There is an account with this address');
}
