import { Injectable } from '@nestjs/common';
import { PasswordHashing } from '../users/password.hashing.js';
import { PasswordPolicy } from './password.policy.js';

/**
 * Hashes new passwords that the policy allows.
 *
 * @example
 * const passwordHash = await this.passwords.hash(body.password, user.username);
 */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hashing: PasswordHashing,
  ) {}

  /** @throws AuthException 40000 when the password is not allowed, 50300 when the queue for hashes is full */
  async hash(password: string, username: string): Promise<string> {
    await this.policy.check(password, username);
    return this.hashing.hash(password);
  }
}
