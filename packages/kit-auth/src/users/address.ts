import { domainToASCII } from 'node:url';

const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;
/** RFC 5322 `atext` and dots. No leading hyphen, which mail programs would read as an option. */
const LOCAL = /^(?!-)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;
/** Labels of letters, digits and hyphens. The last one must not be a number, which excludes IP addresses. */
/** ASCII that no domain contains. The conversion would cut or decode the text at some of it. */
const NO_DOMAIN = /[\x00-\x2c\x2f\x3a-\x60\x7b-\x7f]/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A valid email address. */
export interface Address {
  /** The address as it was typed, with the domain in ASCII. */
  readonly address: string;
  /** The address in lower case. Addresses with the same key are the same address. */
  readonly key: string;
}

/**
 * Parses an email address. Accepts one ASCII address of at most 254 characters; an international domain becomes
 * Punycode. Quoted local parts, comments, display names and lists are refused.
 *
 * @returns undefined for anything else, of any type
 */
export function parseAddress(value: unknown): Address | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || /[\p{C}\p{Z}]/u.test(value)) {
    return undefined;
  }
  const [local = '', typed = '', ...more] = value.split('@');
  // Only names beyond ASCII are converted: for others the conversion would change their case, or accept numbers.
  const isAscii = /^[\x00-\x7f]*$/.test(typed);
  const domain = isAscii || NO_DOMAIN.test(typed.toLowerCase()) ? typed : domainToASCII(typed);
  const address = `${local}@${domain}`;
  const isValid =
    more.length === 0 &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL.test(local) &&
    DOMAIN.test(domain) &&
    address.length <= MAX_LENGTH;
  return isValid ? { address, key: address.toLowerCase() } : undefined;
}
