import type { IncomingMessage } from 'node:http';

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
  emit(event: 'message', data: unknown, isBinary: boolean): boolean;
}

/** The parts of a `Socket` of socket.io that this package uses. */
export interface IoClient {
  readonly id: string;
  readonly connected: boolean;
  readonly request: IncomingMessage;
  readonly handshake: { readonly auth?: unknown };
  readonly conn: { readonly readyState: string; once(event: 'close', listener: () => void): unknown };
  emit(event: string, data: unknown): unknown;
  disconnect(close?: boolean): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

type Middleware = (client: IoClient, next: (error?: Error) => void) => void;

/** A server of socket.io, or one of its namespaces. */
export interface IoServer {
  use(middleware: Middleware): unknown;
  on(event: 'new_namespace', listener: (namespace: IoNamespace) => void): unknown;
  readonly opts?: { connectionStateRecovery?: { skipMiddlewares?: boolean } };
}

export interface IoNamespace {
  readonly adapter: { restoreSession(pid: string, offset: string): Promise<{ readonly sid: string } | null> };
}

export function isIoServer(server: object): server is IoServer {
  return typeof (server as Partial<IoServer>).use === 'function';
}

/** Whether a server is one of `ws`. */
export function isWsServer(server: object): boolean {
  return typeof (server as { handleUpgrade?: unknown }).handleUpgrade === 'function';
}
