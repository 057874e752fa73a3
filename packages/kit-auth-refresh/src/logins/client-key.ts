import { hash } from 'node:crypto';
import type { Client } from 'kit-auth';
import { networkOf } from 'kit-auth/extend';

const MAX_AGENT = 1024;

/**
 * Names where a refresh came from: a hash of the address, of which only the first 64 bits of an IPv6 address count, and
 * the user agent.
 */
export function clientKey(client: Client | undefined): string {
  const { address = '', userAgent = '' } = client ?? {};
  const parts = [networkOf(address) ?? address, userAgent.slice(0, MAX_AGENT)];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
