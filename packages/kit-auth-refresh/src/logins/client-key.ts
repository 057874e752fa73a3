import { hash } from 'node:crypto';
import type { Client } from 'kit-auth';
import { networkOf } from 'kit-auth/extend';

const MAX_AGENT = 1024;

/**
 * Identifies the client of a refresh: a hash of its address and user agent. Of an IPv6 address, only the first 64 bits
 * count.
 */
export function clientKey(client: Client | undefined): string {
  const { address = '', userAgent = '' } = client ?? {};
  const parts = [networkOf(address) ?? address, userAgent.slice(0, MAX_AGENT)];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
