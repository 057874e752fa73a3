import type { Grants } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { hasPermission } from '../routes/permission.js';

const UNKNOWN: Grants = { superAdmin: true, permissions: [] };

/**
 * What an administrator may grant, and whom they may manage: nobody grants permissions on the endpoints of our packages
 * that they lack, or manages a user who has such permissions. Permissions of the application are not compared, because
 * granting them is the purpose of user management.
 */
export class AdminAuthority {
  private readonly own: Grants;

  /** @param administrator what the administrator has now */
  constructor({ superAdmin, permissions }: Grants) {
    this.own = { superAdmin, permissions: permissions.filter(isAdminPermission) };
  }

  /** Whether the grants are within those of the administrator. */
  covers({ superAdmin, permissions }: Grants): boolean {
    return this.own.superAdmin || (!superAdmin && this.lackingOf(permissions).length === 0);
  }

  /**
   * @param grants undefined for a user who cannot be loaded, for example because the account is disabled. Only super
   * administrators may manage that user
   * @throws AuthException 40300 when the grants are beyond those of the administrator
   */
  require(grants: Grants = UNKNOWN): void {
    if (this.covers(grants)) {
      return;
    }
    throw forbidden(
      grants.superAdmin
        ? 'Only holders of SUPER_ADMIN can do this'
        : `The user lacks the permissions ${this.lackingOf(grants.permissions).join(', ')}`,
    );
  }

  private lackingOf(permissions: readonly string[]): string[] {
    return permissions.filter((it) => isAdminPermission(it) && !hasPermission(this.own, it));
  }
}

/** Whether a permission is one on the endpoints of our packages: `auth`, `auth:...`, or one that begins with `*`. */
export function isAdminPermission(permission: string): boolean {
  return /^(?:auth|\*)(?::|$)/.test(permission);
}

function forbidden(message: string): AuthException {
  return new AuthException(AuthErrorCode.FORBIDDEN, { message });
}
