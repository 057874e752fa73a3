import { Injectable } from '@nestjs/common';
import { type AccountChange, AuthErrorCode, AuthException, hasPermission } from 'kit-auth';
import { ActiveUserStore, AdminAuthority, badRequest, invalidLink } from 'kit-auth/feature';
import { INVITE_PERMISSION, type InvitationData } from '../link-tokens.js';

/** The roles of invitations. They are checked when the invitation is sent, and again when it is accepted. */
@Injectable()
export class InvitationRoles {
  constructor(private readonly users: ActiveUserStore) {}

  /**
   * @throws AuthException 40000 when a role does not exist, 40300 when one is beyond the inviter's authority, 40120
   * when one is administrative and the login is not fresh, 50100 when the user store has no roles
   */
  async require(roles: readonly string[], authority: AdminAuthority): Promise<void> {
    if (roles.length > 0 && !this.users.has('grantsOf')) {
      throw AuthException.refusal(AuthErrorCode.NOT_IMPLEMENTED, {
        message: "This application's user store does not support roles in invitations",
      });
    }
    const grants = await this.users.grantsOf(roles);
    if (grants === undefined) {
      throw badRequest('"roles" contains a role that does not exist');
    }
    await authority.requireGrant(grants);
  }

  /**
   * Administrators can end only invitations that they could have sent. Deleted roles are ignored.
   *
   * @throws AuthException 40300 when a role of the invitation is beyond the administrator's authority
   */
  async requireReach(
    { roles }: InvitationData,
    authority: AdminAuthority,
    change: AccountChange,
  ): Promise<void> {
    for (const role of roles) {
      const grants = await this.users.grantsOf([role], change);
      if (grants !== undefined) {
        authority.require(grants);
      }
    }
  }

  /**
   * The roles of an accepted invitation.
   *
   * @throws AuthException 40010 unless its inviter may still invite, and each role exists and is within the inviter's
   * authority
   */
  async get(invitation: InvitationData, change?: AccountChange): Promise<readonly string[]> {
    const roles = await this.find(invitation, change);
    if (roles === undefined) {
      throw invalidLink();
    }
    return roles;
  }

  /** The same, but undefined if the invitation is refused. */
  async find(
    { roles, inviterId }: InvitationData,
    change?: AccountChange,
  ): Promise<readonly string[] | undefined> {
    const inviter = await this.users.loadLoginUser(inviterId);
    const grants = await this.users.grantsOf(roles, change);
    const isAllowed =
      inviter !== undefined &&
      grants !== undefined &&
      hasPermission(inviter, INVITE_PERMISSION) &&
      new AdminAuthority(inviter).covers(grants);
    return isAllowed ? roles : undefined;
  }
}
