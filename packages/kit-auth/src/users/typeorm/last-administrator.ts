import type { EntityManager } from 'typeorm';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';
import { SUPER_ADMIN } from '../super-admin.js';
import { AuthUser, AuthUserStatus } from './auth-user.entity.js';

/** Whether a user is an enabled super administrator. */
export function isActiveAdministrator({ status, roles }: Pick<AuthUser, 'status' | 'roles'>): boolean {
  return status === AuthUserStatus.ENABLED && roles.some(({ code }) => code === SUPER_ADMIN);
}

/**
 * Call it before an active administrator is deleted, disabled or demoted, in a transaction that has taken the
 * `AdministrationLock`.
 *
 * @throws AuthException 40900 when there is no other enabled super administrator
 */
export async function requireAnotherAdministrator(
  manager: EntityManager,
  { id }: Pick<AuthUser, 'id'>,
): Promise<void> {
  const others = await manager
    .createQueryBuilder(AuthUser, 'user')
    .innerJoin('user.roles', 'role', 'role.code = :code', { code: SUPER_ADMIN })
    .where('user.status = :status AND user.id <> :id', { status: AuthUserStatus.ENABLED, id })
    .getExists();
  if (!others) {
    throw new AuthException(AuthErrorCode.CONFLICT, {
      message: 'The last enabled super administrator cannot be deleted, disabled or demoted',
    });
  }
}
