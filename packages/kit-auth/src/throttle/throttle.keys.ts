import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

/** What attempts are counted by. Hashes, so that no store and no dump of it tells names or addresses. */
export interface ThrottleKeys {
  /** All spellings of the name: what a database may take for one. */
  readonly account: string;
  /** The name as it is written: whose failures a success makes good. */
  readonly name: string;
  /** Undefined where nobody knows the address: outside of requests, for example. */
  readonly address: string | undefined;
  /** The name as it is written, at this address. */
  readonly pair: string | undefined;
}

export function throttleKeys(username: string, address: string | undefined): ThrottleKeys {
  const network = address === undefined ? undefined : networkOf(address);
  return {
    account: hash('account', canonicalName(username)),
    name: hash('name', username),
    address: network === undefined ? undefined : hash('address', network),
    pair: network === undefined ? undefined : hash('pair', network, username),
  };
}

/**
 * At least as coarse as any collation compares names: without case, accents, width, invisible characters and outer
 * white space. Upper case, because it also joins what has several lower cases (`ß` and `ss`, `ς` and `σ`).
 */
export function canonicalName(username: string): string {
  return username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}]+/gu, (run) => (/\s/.test(run) ? ' ' : ''))
    .toLowerCase()
    .toUpperCase()
    .trim();
}

/**
 * What one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address. An IPv4 address that is
 * written as IPv6 is itself. Undefined for what is no address.
 */
export function networkOf(address: string): string | undefined {
  const [ip = ''] = address.trim().split('%'); // the zone of a link-local address
  switch (isIP(ip)) {
    case 4:
      return ip;
    case 6: {
      const groups = groupsOf(ip);
      const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
      return isMapped
        ? groups
            .slice(6)
            .flatMap((group) => [group >> 8, group & 255])
            .join('.')
        : `${groups
            .slice(0, 4)
            .map((group) => group.toString(16))
            .join(':')}::/64`;
    }
    default:
      return undefined;
  }
}

/** The eight numbers of an IPv6 address. The URL parser knows every spelling, and leaves `::` alone. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const first = parse(head);
  const last = parse(tail ?? '');
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
