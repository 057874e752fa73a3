import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { AuthException, TransportRequest } from 'kit-auth';
import { transportRequestOf } from 'kit-auth/extend';
import { BrowserTransport } from './browser.transport.js';

/**
 * Refuses WebSocket upgrades that carry our cookie and come from other origins: browsers let every page open a
 * WebSocket, and send the cookies with it.
 */
@Injectable()
export class UpgradeGuard {
  constructor(private readonly transport: BrowserTransport) {}

  /**
   * Stands in front of the listeners of a server. It is no listener itself: one cannot keep an event from the others,
   * which would still act for the request, and without any listener Node treats upgrades as ordinary requests.
   */
  watch(server: Server): void {
    const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
    server.emit = (event: string | symbol, ...args: unknown[]): boolean =>
      event === 'upgrade' && this.refuses(...(args as [IncomingMessage, Duplex]))
        ? true
        : emit(event, ...args);
  }

  private refuses(request: IncomingMessage, socket: Duplex): boolean {
    const protocol = 'encrypted' in socket ? 'https' : 'http';
    try {
      // With a token header too: browsers add `Authorization: Basic` for every page once the user has logged in to a proxy.
      this.transport.requireSameOriginOfCookie({
        ...(transportRequestOf(request) as TransportRequest),
        protocol,
      });
      return false;
    } catch (error) {
      refuse(socket, error as AuthException);
      return true;
    }
  }
}

function refuse(socket: Duplex, exception: AuthException): void {
  const body = JSON.stringify(exception.getResponse());
  const headers = {
    ...exception.headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = exception.getStatus();
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
  socket.on('error', () => socket.destroy()); // Node leaves upgraded sockets without a listener, which ends the process
  socket.end(`${[statusLine, ...lines].join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
