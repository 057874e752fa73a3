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
  private instead: string | undefined;

  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hashing: PasswordHashing,
  ) {}

  /**
   * From now on administrators choose no passwords for other users. Call it from the constructor of a module that offers
   * something better.
   *
   * @param instead what the message of the refusal tells them to do
   */
  refuseForOthers(instead: string): void {
    this.instead = instead;
  }

  /** Asked before an administrator sets the password of another user. @throws AuthException 40300 */
  requireForOthers(): void {
    if (this.instead !== undefined) {
      throw new AuthException(AuthErrorCode.FORBIDDEN, { message: this.instead });
    }
  }

  /** @throws AuthException 40000 when the password is not allowed, 50300 when the queue for hashes is full */
  async hash(password: string, username: string): Promise<string> {
    await this.policy.check(password, username);
    return this.hashing.hash(password);
  }
}
