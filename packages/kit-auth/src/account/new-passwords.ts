import { Injectable } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
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
  private refusal: string | undefined;

  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hashing: PasswordHashing,
  ) {}

  /**
   * Turns `POST users/{id}/password` off. `POST users` still takes an initial password. Call it from the constructor of a
   * module that offers something better.
   *
   * @param message of the refusal. It says what administrators can do instead
   */
  disableAdminResets(message: string): void {
    this.refusal = message;
  }

  /** @throws AuthException 40300 when administrators cannot replace the passwords of other users */
  requireAdminResets(): void {
    if (this.refusal !== undefined) {
      throw new AuthException(AuthErrorCode.FORBIDDEN, { message: this.refusal });
    }
  }

  /** @throws AuthException 40000 when the password is not allowed, 50300 when the queue for hashes is full */
  async hash(password: string, username: string): Promise<string> {
    await this.policy.check(password, username);
    return this.hashing.hash(password);
  }
}
