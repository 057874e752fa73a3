import { type Address, parseAddress } from 'kit-auth/extend';

/**
 * The recipient of a notice about a new address: the current address of the user. Without one, the username, if it is
 * an address.
 *
 * @param wanted the new address, which gets its own mail
 */
export function addressForNotices(
  username: string,
  present: Address | undefined,
  wanted: Address,
): string | undefined {
  const found = present ?? parseAddress(username);
  return found?.key === wanted.key ? undefined : found?.address;
}
