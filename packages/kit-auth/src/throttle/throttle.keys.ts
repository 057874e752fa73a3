import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

/** The account and the network of an attempt. */
export interface Subject {
  /** One value for all spellings that a database may treat as the same name. */
  readonly account: string;
  /** The name as it was sent. */
  readonly name: string;
  /** `UNKNOWN` when the client's address is unknown. Undefined outside of requests. */
  readonly network: string | undefined;
}

/** The keys of the counters. They are hashes, so that a store contains no names or addresses. */
export interface ThrottleKeys {
  readonly account: string;
  /** Counts the failures of this spelling of the name. A success clears no others. */
  readonly name: string;
  /** Counts what this name at this address has added to the other counters. */
  readonly share: string;
  /** The budget of a known device. */
  readonly device: string;
  /** The budget of an account that was unlocked, at a locked address. */
  readonly unlocked: string;
  /** Closed while a known device of the account is locked out. */
  readonly lockedDevice: string;
}

/** Stands for all clients with an unknown address. They share one budget. */
export const UNKNOWN = 'unknown';

export function subjectOf(username: string, client?: { address: string | undefined }): Subject {
  return {
    account: canonicalName(username),
    name: username,
    network: client && (networkOf(client.address ?? '') ?? UNKNOWN),
  };
}

/** @param epoch how many times the account was unlocked: each unlock resets its counters */
export function throttleKeys({ account, name, network }: Subject, epoch: number): ThrottleKeys {
  return {
    account: hash('account', account, epoch),
    name: hash('name', name, epoch),
    share: hash('share', network ?? '', name, epoch),
    device: hash('device', network ?? '', name, epoch),
    unlocked: hash('pardon', account, epoch),
    lockedDevice: hash('locked-device', account, epoch),
  };
}

/** Undefined outside of requests. */
export function addressKey({ network }: Pick<Subject, 'network'>): string | undefined {
  return network === undefined ? undefined : hash('address', network);
}

/** The key under which the number of unlocks of an account is stored. */
export function unlockKey({ account }: Pick<Subject, 'account'>): string {
  return hash('unlock', account);
}

/** The key of a known device. Undefined when the address is unknown. */
export function knownKey({ name, network }: Subject): string | undefined {
  return network === undefined || network === UNKNOWN ? undefined : hash('pair', network, name);
}

/** The key that says that some account was unlocked a short time ago. */
export const ANY_UNLOCK_KEY = hash('pardon');

/**
 * Ignores at least what any collation ignores: case, accents, width, invisible characters and outer white space. Uses
 * upper case, because some letters have several lower-case forms (`ß` and `ss`, `ς` and `σ`).
 */
export function canonicalName(username: string): string {
  return username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}]+/gu, (run) => (/\s/.test(run) ? ' ' : ''))
    .toLowerCase()
    .toUpperCase()
    .trim();
}

/** `192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]`, as some proxies write addresses. */
const WITH_PORT = /^(?:\[([^[\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address. IPv4-mapped IPv6 addresses
 * count as IPv4. Brackets and ports are ignored. Undefined for anything else.
 */
export function networkOf(address: string): string | undefined {
  const text = address.trim();
  const [, inBrackets, plain] = WITH_PORT.exec(text) ?? [];
  const [ip = ''] = (inBrackets ?? plain ?? text).split('%'); // the zone of a link-local address
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

/** The eight groups of an IPv6 address. The URL parser accepts every spelling and keeps `::`. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const first = parse(head);
  const last = parse(tail ?? '');
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function hash(...parts: (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);
}
