import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

/** Who tries to log in, as the throttle tells them apart. */
export interface Subject {
  /** All spellings of the name: what a database may take for one. */
  readonly account: string;
  /** The name as it is written. */
  readonly name: string;
  /** `UNKNOWN` for a client whose address nobody knows; undefined outside of requests. */
  readonly network: string | undefined;
}

/** What attempts are counted by. Hashes, so that no store and no dump of it tells names or addresses. */
export interface ThrottleKeys {
  readonly account: string;
  /** Attempts with this spelling: a success makes good these alone. */
  readonly name: string;
  /** What this name at this address has added to the other counts. */
  readonly share: string;
  /** The budget of a known device. */
  readonly device: string;
  /** The budget of an account that was unlocked, where the address is locked. */
  readonly pardon: string;
  /** Closed while a known device of the account is locked out. */
  readonly lockedDevice: string;
}

/** All clients whose address nobody knows. They share one budget. */
export const UNKNOWN = 'unknown';

export function subjectOf(username: string, client?: { address: string | undefined }): Subject {
  return {
    account: canonicalName(username),
    name: username,
    network: client && (networkOf(client.address ?? '') ?? UNKNOWN),
  };
}

/** @param epoch how often the account was unlocked: every time, its counts begin anew */
export function throttleKeys({ account, name, network }: Subject, epoch: number): ThrottleKeys {
  return {
    account: hash('account', account, epoch),
    name: hash('name', name, epoch),
    share: hash('share', network ?? '', name, epoch),
    device: hash('device', network ?? '', name, epoch),
    pardon: hash('pardon', account, epoch),
    lockedDevice: hash('locked-device', account, epoch),
  };
}

/** Undefined outside of requests. */
export function addressKey({ network }: Pick<Subject, 'network'>): string | undefined {
  return network === undefined ? undefined : hash('address', network);
}

/** Where it is remembered how often an account was unlocked. */
export function unlockKey({ account }: Pick<Subject, 'account'>): string {
  return hash('unlock', account);
}

/** By what the device of a name is known. Undefined where there is no address to know it by. */
export function knownKey({ name, network }: Subject): string | undefined {
  return network === undefined || network === UNKNOWN ? undefined : hash('pair', network, name);
}

/** Remembered as long as an account that was unlocked may pass the gate of an address. */
export const PARDON_KEY = hash('pardon');

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

/** `192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]`, as some proxies write addresses. */
const WITH_PORT = /^(?:\[([^[\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * What one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address. An IPv4 address that is
 * written as IPv6 is itself; brackets and a port make no difference. Undefined for what is no address.
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

/** The eight numbers of an IPv6 address. The URL parser knows every spelling, and leaves `::` alone. */
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
