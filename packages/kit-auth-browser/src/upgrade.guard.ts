import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings, type TransportRequest } from 'kit-auth';
import { transportRequestOf } from 'kit-auth/login';
import { BrowserTransport } from './browser.transport.js';

/**
 * Refuses WebSocket upgrades that carry our cookie and come from other origins: browsers let every page open a
 * WebSocket, and send the cookies with it.
 */
@Injectable()
export class UpgradeGuard implements OnModuleInit {
  constructor(
    private readonly transport: BrowserTransport,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** Nest calls this when its HTTP server exists, before it listens. Commands and workers have none. */
  onModuleInit(): void {
    const { httpAdapter } = this.adapterHost as Partial<HttpAdapterHost>;
    const server = httpAdapter?.getHttpServer() as Server | undefined;
    if (this.settings.enabled && server !== undefined) {
      this.watch(server);
    }
  }

  /**
   * Wraps `emit()` of the server instead of adding a listener. A listener cannot stop the other listeners, which would
   * still handle the request, and a server with this one alone would no longer treat upgrades as ordinary requests.
   */
  private watch(server: Server): void {
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
