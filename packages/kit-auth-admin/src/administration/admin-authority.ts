import { hasPermission, type LoginUser } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { forbidden } from '../input/refusals.js';

/** What a user has, or what a set of roles grants. */
export type Grants = Pick<LoginUser, 'superAdmin' | 'permissions'>;

/**
 * What an administrator may grant, and whom they may manage: nobody grants permissions on the endpoints of this package
 * that they lack, or manages a user who has such permissions. Permissions of the application are not compared, because
 * granting them is the purpose of user management.
 */
export class AdminAuthority {
  private readonly own: Grants;

  /** @param administrator what the administrator has now */
  constructor({ superAdmin, permissions }: Grants) {
    this.own = { superAdmin, permissions: permissions.filter(isAdminPermission) };
  }

  /** @throws AuthException 40300 when the grants are beyond those of the administrator */
  require({ superAdmin, permissions }: Grants): void {
    if (this.own.superAdmin) {
      return;
    }
    if (superAdmin) {
      throw forbidden(`Only holders of ${SUPER_ADMIN} can do this`);
    }
    const lacking = permissions.filter((it) => isAdminPermission(it) && !hasPermission(this.own, it));
    if (lacking.length > 0) {
      throw forbidden(`The user lacks the permissions ${lacking.join(', ')}`);
    }
  }
}

/** Whether a permission is one on the endpoints of this package: `auth`, `auth:...`, or one that begins with `*`. */
export function isAdminPermission(permission: string): boolean {
  return /^(?:auth|\*)(?::|$)/.test(permission);
}
