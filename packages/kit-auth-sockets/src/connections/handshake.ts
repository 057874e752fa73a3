import type { IncomingMessage } from 'node:http';
import type { Client } from 'kit-auth';
import type { Closer, SocketVia } from './connection.js';

/** A client that wants to connect. */
export interface Handshake {
  readonly via: SocketVia;
  /** The object of the library. */
  readonly client: unknown;
  /** The HTTP request that opened the connection. */
  readonly request: IncomingMessage;
  /** The data that the client sent beside the request, such as `{ token }`. */
  readonly auth?: unknown;
  readonly close: Closer;
  /** Whether the client has gone. */
  readonly isGone: () => boolean;
}

/** The sender of a handshake, as for requests. */
export function clientOf({ request, isGone }: Handshake): Client {
  return {
    address: (request as { ip?: string }).ip ?? request.socket.remoteAddress,
    userAgent: request.headers['user-agent'],
    hasLeft: isGone,
  };
}
