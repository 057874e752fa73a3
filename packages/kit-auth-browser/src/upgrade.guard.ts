import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { AuthException } from 'kit-auth';
import { BrowserTransport } from './browser.transport.js';

/**
 * Refuses WebSocket upgrades that carry our cookie and come from other origins: browsers let every page open a
 * WebSocket, and send the cookies with it.
 */
@Injectable()
export class UpgradeGuard {
  constructor(private readonly transport: BrowserTransport) {}

  /** Listens in front of whatever handles upgrades. Without any listener, Node treats them as ordinary requests. */
  watch(server: Server): void {
    const listener = (request: IncomingMessage, socket: Duplex): void => this.check(request, socket);
    const listenFirst = (event: string | symbol): void => {
      if (event === 'upgrade') {
        server.off('newListener', listenFirst);
        server.prependListener('upgrade', listener);
      }
    };
    if (server.listenerCount('upgrade') > 0) {
      server.prependListener('upgrade', listener);
    } else {
      server.on('newListener', listenFirst);
    }
  }

  private check({ method = '', url = '', headers, rawHeaders }: IncomingMessage, socket: Duplex): void {
    const protocol = 'encrypted' in socket ? 'https' : 'http';
    try {
      this.transport.requireSameOrigin({ method, url, headers, rawHeaders, host: headers.host, protocol });
    } catch (error) {
      refuse(socket, error as AuthException);
    }
  }
}

/** The listeners behind this one find a socket that is not writable, which servers of WebSockets destroy. */
function refuse(socket: Duplex, exception: AuthException): void {
  const body = JSON.stringify(exception.getResponse());
  const headers = {
    ...exception.headers,
    ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), Connection: 'close' },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = exception.getStatus();
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
  socket.end(`${[statusLine, ...lines].join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
