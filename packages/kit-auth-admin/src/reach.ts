import { Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthEvents,
  AuthException,
  hasPermission,
  KitAuthContext,
  type LoginUser,
  LoginUsers,
  SUPER_ADMIN,
} from 'kit-auth';
import type { EntityManager } from 'typeorm';
import { forbidden } from './input/refusals.js';

/** A permission on this package's own endpoints. */
const OF_ADMINISTRATION = /^(?:auth|\*)(?::|$)/;

/** What somebody is about to be given, or has. */
export interface Power {
  superAdmin: boolean;
  permissions: readonly string[];
}

/**
 * Nobody hands out power over accounts that they lack, nor manages somebody who has it. Permissions of the
 * application's own are not looked at: handing them out is what user managers do.
 */
@Injectable()
export class Reach {
  constructor(
    private readonly context: KitAuthContext,
    private readonly users: LoginUsers,
    private readonly events: AuthEvents,
  ) {}

  /**
   * The current user as they are now: a stateless token says what was true at its login, and whoever was demoted since
   * must not undo it.
   *
   * @throws AuthException 40101 when they are no longer enabled, 40300 when they no longer have the permission
   */
  async actor(manager: EntityManager, permission: string): Promise<LoginUser> {
    const actor = await this.users.load(this.context.getOrThrow().userId, manager);
    if (actor === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'disabled' });
    }
    if (!hasPermission(actor, permission)) {
      throw this.refused(`The user lacks the permission ${permission}`);
    }
    return actor;
  }

  /** @throws AuthException 40300 */
  require(actor: LoginUser, { superAdmin, permissions }: Power): void {
    if (actor.superAdmin) {
      return;
    }
    if (superAdmin) {
      throw this.refused(`Only holders of ${SUPER_ADMIN} do this`);
    }
    const beyond = permissions.filter((it) => OF_ADMINISTRATION.test(it) && !hasPermission(actor, it));
    if (beyond.length > 0) {
      throw this.refused(
        `This is about permissions of administration that the user lacks: ${beyond.join(', ')}`,
      );
    }
  }

  private refused(message: string): AuthException {
    this.events.note({ type: 'access-denied', success: false, detail: message });
    return forbidden(message);
  }
}
