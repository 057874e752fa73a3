import { MAX_USERNAME_LENGTH } from '../contract/settings.js';
import { parseAddress } from './address.js';

/**
 * The same text for all usernames that people would take for each other: case, width, outer spaces and the form of composed
 * characters do not matter, for an email address nor does the script of its domain.
 *
 * @returns null for a text that is too long for the column
 */
export function nameKey(username: string): string | null {
  const name = username.trim();
  const key = parseAddress(name)?.key ?? name.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
  return key.length > MAX_USERNAME_LENGTH ? null : key;
}
