import { isIP } from 'node:net';
import type { Client } from '../contract/client.js';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';

/** Stands for all clients with an unknown address. They share one budget. */
export const UNKNOWN = 'unknown';

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
      const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
      const subscriber = groups.slice(0, 4).map((group) => group.toString(16));
      return isMapped ? bytes.join('.') : `${subscriber.join(':')}::/64`;
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

/** The network of a client. `UNKNOWN` when its address is unknown. */
export function networkOfClient({ address }: Pick<Client, 'address'>): string {
  return networkOf(address ?? '') ?? UNKNOWN;
}

/** The turn of a client in the queue for hashes. All clients of one network are one group. `OWN_TURN` outside of requests. */
export function turnOf(client: Client | undefined): HashTurn {
  return client === undefined
    ? OWN_TURN
    : { group: networkOfClient(client), isKnown: false, hasLeft: () => client.hasLeft() };
}
