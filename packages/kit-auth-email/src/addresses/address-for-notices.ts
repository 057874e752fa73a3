import { type Address, parseAddress } from './address.js';

/**
 * Where a user is told that another address was asked for, or has taken the place of this one: the address of the user.
 * A user without one may have an address as the username.
 *
 * @param wanted the other address. It gets mails of its own
 */
export function addressForNotices(
  username: string,
  present: Address | undefined,
  wanted: Address,
): string | undefined {
  const found = present ?? parseAddress(username);
  return found?.key === wanted.key ? undefined : found?.address;
}
