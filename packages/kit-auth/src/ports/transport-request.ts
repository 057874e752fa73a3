import type { IncomingMessage } from 'node:http';
import type { TokenTransport, TransportRequest } from '../contract/token-transport.js';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request of Express, or one of Fastify, which has Node's own in `raw`. */
type PlatformRequest = Partial<Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders' | 'url'>> & {
  readonly raw?: unknown;
  /** Express changes `url` inside routers. */
  readonly originalUrl?: string;
  readonly host?: string;
  readonly protocol?: string;
  readonly body?: unknown;
};

/**
 * What a transport reads of a request of Express or Fastify, or of Node's own, such as a WebSocket upgrade. Undefined for
 * anything but an HTTP request.
 */
export function transportRequestOf(request: PlatformRequest): TransportRequest | undefined {
  const { method, url, headers, rawHeaders } = (request.raw ?? request) as PlatformRequest;
  if (method === undefined || headers === undefined || rawHeaders === undefined) {
    return undefined;
  }
  return {
    method,
    url: request.originalUrl ?? url ?? '',
    headers,
    rawHeaders,
    host: request.host ?? headers.host,
    protocol: request.protocol,
    body: request.body,
  };
}

/** Whether the method of a request promises to change nothing (RFC 9110, section 9.2.1). */
export function isSafe({ method }: Pick<TransportRequest, 'method'>): boolean {
  return SAFE_METHODS.has(method);
}

/**
 * Asks the token transport of the application, if it has one, about an HTTP request.
 *
 * @throws AuthException of the transport
 */
export function askTransport<T>(
  transport: TokenTransport | undefined,
  request: object,
  question: (transport: TokenTransport, request: TransportRequest) => T,
): T | undefined {
  const transportRequest = transport && transportRequestOf(request);
  return transport === undefined || transportRequest === undefined
    ? undefined
    : question(transport, transportRequest);
}
