import { hash } from 'node:crypto';
import type { Principal } from 'kit-auth';

/** The purpose of ceremonies whose user is known. */
export const PURPOSE = 'passkey-confirm';

/**
 * The login that a ceremony belongs to: one that waits for its second factor, or that of the request.
 *
 * @param challenge that of the waiting login. The ceremony stores a hash of it
 */
export function loginOf(challenge: string | undefined, principal: Principal | undefined): string | undefined {
  return challenge === undefined ? principal?.proof.loginId : hash('sha256', challenge, 'base64url');
}
