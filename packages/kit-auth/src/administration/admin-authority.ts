import type { Grants } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { hasPermission } from '../routes/permission.js';

const UNKNOWN: Grants = { superAdmin: true, permissions: [] };

/**
 * Decides what an administrator may grant, and which users they may manage. Administrators cannot grant permissions on
 * the endpoints of our packages that they lack, or manage users who have such permissions. Permissions of the
 * application are not compared, because granting them is the purpose of user management.
 *
 * @example
 * authority.require(target); // a user who is about to be changed
 * await authority.requireGrant(grants); // what their new roles grant
 */
export class AdminAuthority {
  private readonly own: Grants;

  /**
   * @param administrator the current grants of the administrator
   * @param requireFresh rejects with 40120 unless the login of the administrator is fresh. Default: no check
   */
  constructor(
    { superAdmin, permissions }: Grants,
    private readonly requireFresh: () => Promise<void> = async () => undefined,
  ) {
    this.own = { superAdmin, permissions: permissions.filter(isAdminPermission) };
  }

  /** Whether the administrator has all of the grants. */
  covers({ superAdmin, permissions }: Grants): boolean {
    return this.own.superAdmin || (!superAdmin && this.lackingOf(permissions).length === 0);
  }

  /**
   * Call this for a user or a role that the administrator is about to change.
   *
   * @param grants undefined for a user who cannot be loaded, for example because the account is disabled. Only super
   * administrators may manage that user
   * @throws AuthException 40300 when the administrator lacks one of the grants
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

  /**
   * Call this for roles and permissions that the administrator is about to give to a user, a role or an invitation.
   *
   * @throws AuthException 40300 when the administrator lacks one of the grants, 40120 when they are administrative
   * and the login is not fresh
   */
  async requireGrant(grants: Grants): Promise<void> {
    this.require(grants);
    if (areAdministrative(grants)) {
      await this.requireFresh();
    }
  }

  private lackingOf(permissions: readonly string[]): string[] {
    return permissions.filter(
      (permission) => isAdminPermission(permission) && !hasPermission(this.own, permission),
    );
  }
}

/** Whether a permission covers endpoints of our packages: `auth`, `auth:...`, or one that begins with `*`. */
export function isAdminPermission(permission: string): boolean {
  return /^(?:auth|\*)(?::|$)/.test(permission);
}

/** Whether a user with these grants is an administrator. */
export function areAdministrative({ superAdmin, permissions }: Grants): boolean {
  return superAdmin || permissions.some(isAdminPermission);
}

function forbidden(message: string): AuthException {
  return new AuthException(AuthErrorCode.FORBIDDEN, { message });
}
