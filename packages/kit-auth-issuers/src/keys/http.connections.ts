import { Injectable } from '@nestjs/common';
import { insecureProblem, isObject, plainText, secureFetch } from 'kit-auth/tools';
import type { IssuerSettings } from '../issuer.js';
import { IssuerConnections, type PublishedKeys } from './issuer.connections.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_FRESH_MS = 10 * MINUTE_MS;

/** Fetches the keys of issuers: from `jwks`, or from `jwks_uri` of the discovery document. */
@Injectable()
export class HttpConnections extends IssuerConnections {
  /** The URLs that were discovered, by issuer. */
  private readonly discovered = new Map<string, { readonly url: string; readonly until: number }>();

  override async keysOf(issuer: IssuerSettings, signal: AbortSignal): Promise<PublishedKeys> {
    const { jwks } = issuer;
    if (typeof jwks === 'object') {
      return { jwks, freshMs: Infinity };
    }
    try {
      const response = await secureFetch(jwks ?? (await this.urlOf(issuer, signal)), request(signal));
      return { jwks: await bodyOf(response), freshMs: freshMsOf(response.headers.get('cache-control')) };
    } catch (error) {
      this.discovered.delete(issuer.issuer);
      throw error;
    }
  }

  private async urlOf({ issuer }: IssuerSettings, signal: AbortSignal): Promise<string> {
    const known = this.discovered.get(issuer);
    if (known !== undefined && Date.now() < known.until) {
      return known.url;
    }
    const url = await discover(issuer, signal);
    this.discovered.set(issuer, { url, until: Date.now() + HOUR_MS });
    return url;
  }
}

/** Finds the URL of the keys (OpenID Connect Discovery 1.0, otherwise RFC 8414). */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const first = await secureFetch(`${origin}${path}/.well-known/openid-configuration`, request(signal));
  const second = first.ok
    ? first
    : await secureFetch(`${origin}/.well-known/oauth-authorization-server${path}`, request(signal));
  // If both fail, the first answer is the reason.
  const metadata = await bodyOf(second.ok ? second : first);
  const { issuer: given, jwks_uri: url } = isObject(metadata) ? metadata : {};
  if (given !== issuer) {
    throw new Error(
      `the issuer of the discovery document is "${plainText(String(given))}", but that of the options is "${issuer}"`,
    );
  }
  if (typeof url !== 'string' || !URL.canParse(url) || !mayLeadTo(issuer, new URL(url))) {
    throw new Error('jwks_uri of the discovery document is not an https URL');
  }
  return url;
}

/** Keys without TLS are accepted from local issuers only: a remote issuer must not make us call local services. */
function mayLeadTo(issuer: string, url: URL): boolean {
  return url.protocol === 'https:' || (issuer.startsWith('http:') && insecureProblem(url) === undefined);
}

function request(signal: AbortSignal): RequestInit {
  return { signal, headers: { accept: 'application/json' } };
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    throw new Error(`the issuer answered with ${response.status}`);
  }
  try {
    return await response.json();
  } catch {
    throw new Error('the answer of the issuer is not JSON');
  }
}

/** Freshness lifetime of an answer: its `max-age`, within bounds. */
function freshMsOf(cacheControl: string | null): number {
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,10})\b/i.exec(cacheControl ?? '') ?? [];
  return seconds === undefined
    ? DEFAULT_FRESH_MS
    : Math.min(Math.max(Number(seconds) * 1000, MINUTE_MS), DAY_MS);
}
