import type { IncomingMessage } from 'node:http';
import type { SocketEnd } from '../connections/socket-end.js';

/** Milliseconds within which a client must answer the close frame. */
export const CLOSE_MS = 3000;
/** A reason has at most 123 bytes, of which a character has up to three. Those of other implementations can be longer. */
const MAX_REASON = 41;
/** Bytes that a closed client may still send. */
const MAX_REST = 1_048_576;

/** The parts of a `WebSocket` of `ws` that this package uses. */
export interface WsClient {
  readonly readyState: number;
  readonly OPEN: number;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: unknown, isBinary: boolean) => void): unknown;
  off(event: 'message', listener: (data: unknown, isBinary: boolean) => void): unknown;
  once(event: 'close' | 'message', listener: () => void): unknown;
  off(event: 'close' | 'message', listener: () => void): unknown;
  emit(event: 'message', data: unknown, isBinary: boolean): boolean;
}

/** The parts of a `Socket` of socket.io that this package uses. */
export interface IoClient {
  readonly id: string;
  readonly connected: boolean;
  readonly request: IncomingMessage;
  readonly handshake: { readonly auth?: unknown };
  readonly conn: {
    readonly readyState: string;
    close(): void;
    once(event: 'close', listener: () => void): unknown;
    off(event: 'close', listener: () => void): unknown;
  };
  emit(event: string, data: unknown): unknown;
  disconnect(close?: boolean): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

type Middleware = (client: IoClient, next: (error?: Error) => void) => void;

/** A server of socket.io, or one of its namespaces. */
export interface IoServer {
  use(middleware: Middleware): unknown;
  readonly opts?: { readonly cors?: unknown; readonly connectionStateRecovery?: unknown };
}

/** A namespace. Names with an underscore are not documented. */
export interface IoNamespace {
  readonly name: string;
  readonly sockets: ReadonlyMap<string, IoClient>;
  /** Clients that wait for middlewares. */
  readonly _preConnectSockets: ReadonlyMap<string, IoClient>;
  readonly adapter: { close(): unknown };
  /** Connects a client. */
  _add(peer: unknown, auth: unknown, done: unknown): unknown;
  /** Called when a client is refused, or has left. */
  _remove(client: IoClient): void;
}

/** A dynamic namespace. Its children have the names that clients have asked for. */
export interface IoParentNamespace extends IoServer {
  readonly children: Set<IoNamespace>;
  readonly server: IoServer & {
    readonly _nsps: Map<string, IoNamespace>;
    /** Creates the namespace that a client has asked for. Calls back with false if no dynamic one has this name. */
    _checkNamespace(name: string, auth: unknown, done: (found: IoNamespace | false) => void): void;
  };
}

export function isIoServer(server: object): server is IoServer {
  return typeof (server as Partial<IoServer>).use === 'function';
}

export function isIoParent(server: IoServer): server is IoParentNamespace {
  return (server as Partial<IoParentNamespace>).children instanceof Set;
}

export function isWsServer(server: object): boolean {
  return typeof (server as { handleUpgrade?: unknown }).handleUpgrade === 'function';
}

/** Closes a client of `ws`, also a paused one. */
export function closeWs(client: WsClient, { socket }: IncomingMessage, { code, reason }: SocketEnd): void {
  // The answer to the close frame may come after a message, of which the library collects up to 100 MB.
  const end = socket.bytesRead + MAX_REST;
  const count = () => {
    if (socket.bytesRead > end) {
      client.terminate();
    }
  };
  socket.on('data', count);
  client.close(code, reason.slice(0, MAX_REASON));
  client.resume();
  const timer = setTimeout(() => client.terminate(), CLOSE_MS).unref();
  client.once('close', () => clearTimeout(timer));
}
