import type { IncomingMessage } from 'node:http';
import type { AuthSocketMessage, Client } from 'kit-auth';
import type { Type } from '@nestjs/common';
import type { RouteRule } from 'kit-auth/tools';
import type { SocketEnd } from './socket-end.js';

export type SocketVia = AuthSocketMessage['via'];

/** Ends the connection of a client. Called once. */
export type Closer = (end: SocketEnd) => void;

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
  /** True once the client has gone. */
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

/** The requirements of a handshake: the rules of all gateways or resolvers that it opens. */
export interface ServerRule {
  /** Names the gateways in logs and events. */
  readonly name: string;
  readonly needsToken: boolean;
  /** True if a token is also read where none is needed. */
  readonly readsToken: boolean;
  /** True if an invalid token counts as none, where none is needed. */
  readonly ignoresInvalid: boolean;
  readonly gateways: readonly { readonly gateway: Type; readonly rule: RouteRule }[];
}

/** The requirements while a connection or a stream is open. A fresh login is only required when it begins. */
export function whileOpen(rule: RouteRule): RouteRule {
  return { ...rule, requirements: rule.requirements.filter(({ kind }) => kind !== 'fresh') };
}
