import { hasPermission, type LoginUser } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { forbidden } from './input/refusals.js';

/** Whether a permission is one on this package's own endpoints. */
export function isOfAdministration(permission: string): boolean {
  return /^(?:auth|\*)(?::|$)/.test(permission);
}

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
  const own = { superAdmin: false, permissions: actor.permissions.filter(isOfAdministration) };
  const beyond = permissions.filter((it) => isOfAdministration(it) && !hasPermission(own, it));
  if (beyond.length > 0) {
    throw forbidden(`This is about permissions of administration that the user lacks: ${beyond.join(', ')}`);
  }
}
