import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { AuthUser, newSecurityStamp } from '../users/typeorm/auth-user.entity.js';
import { PasswordHasher } from '../users/password.hasher.js';
import { PasswordPolicy } from './password.policy.js';

/** A new password for a user who is there. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * The hash of a password that may be chosen.
   *
   * @throws AuthException 40000 where it may not, 50300 when too many hashes wait
   */
  async hash(password: string, username: string): Promise<string> {
    await this.policy.check(password, username);
    return this.hasher.hash(password);
  }

  /**
   * Writes a hash, with a new security stamp.
   *
   * @param seen the stamp that the change starts from: another change in between has won
   * @throws AuthException 40900 when the user is gone, or was changed in between
   */
  async write(
    manager: EntityManager,
    userId: number,
    passwordHash: string,
    { mustChange, seen }: { mustChange: boolean; seen?: string },
  ): Promise<void> {
    const { affected } = await manager.update(
      AuthUser,
      { id: userId, ...(seen !== undefined && { securityStamp: seen }) },
      { passwordHash, mustChangePassword: mustChange, securityStamp: newSecurityStamp() },
    );
    if (affected === 0) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
  }
}
