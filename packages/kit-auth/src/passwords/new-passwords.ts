import { Injectable } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import { turnOf } from '../context/network.js';
import type { Client } from '../contract/client.js';
import { forbidden } from '../errors/auth.exception.js';
import { PasswordHashing } from './password.hashing.js';
import { PasswordPolicy } from './password.policy.js';

/**
 * Hashes new passwords that the policy allows.
 *
 * @example
 * const client = this.context.client(); // before the first await
 * const user = await this.users.find(id);
 * const passwordHash = await this.passwords.hash(body.password, user.username, client);
 */
@Injectable()
export class NewPasswords {
  private refusal: string | undefined;

  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hashing: PasswordHashing,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Turns off `POST users/{id}/password`. `POST users` still accepts an initial password. Call this in the constructor
   * of a module with a better alternative, such as reset links.
   *
   * @param message the message of the refusal. It says what administrators can do instead
   */
  disableAdminResets(message: string): void {
    this.refusal = message;
  }

  /** Whether administrators can replace the passwords of other users. */
  allowAdminResets(): boolean {
    return this.refusal === undefined;
  }

  /** @throws AuthException 40300 when administrators cannot replace the passwords of other users */
  requireAdminResets(): void {
    if (this.refusal !== undefined) {
      throw forbidden(this.refusal);
    }
  }

  /** @throws AuthException 40000 when the password is not allowed */
  async check(password: string, username: string): Promise<void> {
    await this.policy.check(password, username);
  }

  /**
   * Hashes a password when it is the turn of the client's network. Computes no hash for a client that has disconnected.
   *
   * @param client the client of the request. Pass the result of `KitAuthContext.client()` from before the first
   * `await`: the request context is emptied when the client disconnects. Default: the client of the current request
   * @throws AuthException 40000 when the password is not allowed, 50300 when the queue for hashes is full, 40110 when the
   * client has disconnected
   */
  async hash(
    password: string,
    username: string,
    client: Client | undefined = this.context.client(),
  ): Promise<string> {
    await this.check(password, username);
    return this.hashing.hash(password, turnOf(client));
  }
}
