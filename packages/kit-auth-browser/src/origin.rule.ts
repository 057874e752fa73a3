import type { TransportRequest } from 'kit-auth';
import { linesOf } from './headers.js';

/** Why a request is refused: the `reason` of 40302. */
export type CrossOriginReason = 'cross-site' | 'same-site' | 'origin' | 'unknown';

export type OriginRequest = Pick<TransportRequest, 'rawHeaders' | 'host' | 'protocol'>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** Distinguishes requests of the application's own pages from requests of other sites. */
export class OriginRule {
  /** @param origins other origins whose pages are trusted, besides the request's own */
  constructor(private readonly origins: readonly string[]) {}

  /** @returns undefined for a request that passes */
  refusalOf(request: OriginRequest): CrossOriginReason | undefined {
    const [origin, ...others] = linesOf(request, 'origin');
    if (others.length > 0) {
      return 'origin';
    }
    if (origin !== undefined && this.origins.includes(origin)) {
      return undefined;
    }
    const sites = linesOf(request, 'sec-fetch-site');
    if (sites.length > 0) {
      return refusalOfSite(sites.join(', '), request);
    }
    if (origin === undefined) {
      return 'unknown';
    }
    return isOwnOrigin(origin, request) ? undefined : 'origin';
  }
}

function refusalOfSite(site: string, request: OriginRequest): CrossOriginReason | undefined {
  switch (site) {
    case 'same-origin':
      return undefined;
    case 'none': // an address that the user has typed, for example
      return isPrefetch(request) ? 'unknown' : undefined;
    case 'same-site':
    case 'cross-site':
      return site;
    default:
      return 'unknown';
  }
}

/** Chromium sends `Sec-Fetch-Site: none` when it prefetches for pages of any origin. */
function isPrefetch(request: OriginRequest): boolean {
  return ['sec-purpose', 'purpose'].some((name) => linesOf(request, name).length > 0);
}

/** The rule for browsers that do not send Sec-Fetch-Site. The scheme is compared only if the platform reports https. */
function isOwnOrigin(origin: string, { host, protocol }: OriginRequest): boolean {
  const [, scheme = '', authority] = /^(https?):\/\/([^/?#@\s]+)$/.exec(origin) ?? [];
  if (authority === undefined || host === undefined || (protocol === 'https' && scheme !== 'https')) {
    return false;
  }
  const own = host.toLowerCase();
  const port = DEFAULT_PORTS[scheme] as string;
  return authority === (own.endsWith(port) ? own.slice(0, -port.length) : own);
}
