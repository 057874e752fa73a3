import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import type { ResolvedPrincipal } from 'kit-auth/login';
import { Observable, type Subscriber } from 'rxjs';
import { SocketRegistry } from '../connections/socket.registry.js';
import { endOf } from '../connections/socket-end.js';
import type { ServerRule } from '../connections/handshake.js';
import { CLOSE_MS } from '../gateways/servers.js';
import { Handshakes } from '../handshake/handshakes.js';
import { Requirements } from '../checks/requirements.js';

type PlatformResponse = ServerResponse | { readonly raw: ServerResponse };

/** Ends server-sent events with the login of their user. The guard has admitted the request. */
@Injectable()
export class ServerSentEvents {
  constructor(
    private readonly current: KitAuthContext,
    private readonly handshakes: Handshakes,
    private readonly registry: SocketRegistry,
    private readonly requirements: Requirements,
  ) {}

  /** @returns undefined for a request without a user */
  around(context: ExecutionContext, next: CallHandler): Observable<unknown> | undefined {
    // The guard keeps what the resolver returned.
    const principal = this.current.principal() as ResolvedPrincipal | undefined;
    return principal && new Observable((events) => this.open(principal, context, next, events));
  }

  private open(
    principal: ResolvedPrincipal,
    context: ExecutionContext,
    next: CallHandler,
    events: Subscriber<unknown>,
  ): void {
    const http = context.switchToHttp();
    const client = http.getResponse<PlatformResponse>();
    const response = 'raw' in client ? client.raw : client;
    const request = http.getRequest<IncomingMessage>();
    const { token, credential } = principal;
    const connection = this.handshakes.connect(
      {
        via: 'sse',
        client,
        request,
        close: () => end(events, response),
        isGone: () => response.destroyed,
      },
      ruleOf(context),
      credential === undefined ? token : { token, credential },
      principal,
    );
    if (connection === undefined) {
      events.complete();
      return;
    }
    connection.streams.add({
      context,
      rule: this.requirements.ofStream(context, request),
      stop: (error) => {
        if (error !== undefined) {
          void this.registry.end([connection], endOf(error));
        }
      },
    });
    events.add(() => this.registry.remove(connection));
    connection.context.run(() => next.handle().subscribe(events));
  }
}

/** Completes the stream. An interceptor of the application may keep the response open all the same. */
function end(events: Subscriber<unknown>, response: ServerResponse): void {
  events.complete();
  const timer = setTimeout(() => response.destroy(), CLOSE_MS).unref();
  response.once('close', () => clearTimeout(timer));
}

/** The guard has checked its requirements already. */
function ruleOf(context: ExecutionContext): ServerRule {
  return {
    name: `${context.getClass().name}.${context.getHandler().name}`,
    needsToken: true,
    readsToken: true,
    ignoresInvalid: false,
    gateways: [],
  };
}
