import { hasPermission, type LoginUser, SUPER_ADMIN } from 'kit-auth';
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
 *
 * @throws AuthException 40300
 */
export function requireReach(actor: LoginUser, { superAdmin, permissions }: Power): void {
  if (actor.superAdmin) {
    return;
  }
  if (superAdmin) {
    throw forbidden(`Only holders of ${SUPER_ADMIN} do this`);
  }
  const beyond = permissions.filter((it) => OF_ADMINISTRATION.test(it) && !hasPermission(actor, it));
  if (beyond.length > 0) {
    throw forbidden(`This is about permissions of administration that the user lacks: ${beyond.join(', ')}`);
  }
}
