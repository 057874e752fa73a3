import type { EntityManager } from 'typeorm';
import { AuthUser, newSecurityStamp } from './auth-user.entity.js';

export interface WrittenPassword {
  passwordHash: string;
  /** Whether the user must choose another password at the next login. */
  mustChange: boolean;
  /** The stamp that the change is based on. Without it, the password is written for any stamp. */
  seenStamp?: string;
}

/**
 * Writes a password hash with a new security stamp.
 *
 * @returns false when the user is unknown or has another stamp by now
 */
export async function writePassword(
  manager: EntityManager,
  userId: number,
  { passwordHash, mustChange, seenStamp }: WrittenPassword,
): Promise<boolean> {
  const { affected } = await manager.update(
    AuthUser,
    { id: userId, ...(seenStamp !== undefined && { securityStamp: seenStamp }) },
    { passwordHash, mustChangePassword: mustChange, securityStamp: newSecurityStamp() },
  );
  return affected !== 0;
}
