import { Inject, Injectable } from '@nestjs/common';
import { AuthException, IllegalStateException } from 'kit-auth';
import { BoundedMap, type Presented, TokenResolver } from 'kit-auth/extend';
import { type ResolvedSocketsOptions, socketsOptions } from '../config/sockets.options.js';
import type { Connection } from '../connections/connection.js';
import { Connections } from '../connections/connections.js';
import type { SocketEnd } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { SocketReports } from '../connections/socket.reports.js';
import type { Handshake } from '../connections/handshake.js';
import { Handshakes } from '../handshake/handshakes.js';
import type { ServerRule } from '../connections/server-rule.js';
import { KIT_AUTH } from './renewal.message.js';
import type { IoClient, IoNamespace, IoServer } from './servers.js';

type Listener = (client: IoClient) => void;

/** More than the clients of one instance that reconnect in two minutes. */
const MAX_REMEMBERED = 100_000;

/**
 * Handshakes with clients of socket.io, in a middleware of the namespace: it runs before any event of the client, for
 * long polling and WebSockets alike.
 */
@Injectable()
export class IoHandshakes {
  private readonly guarded = new WeakSet<IoServer>();
  /** The tokens of clients that lost their connection, which socket.io can restore. */
  private readonly lost = new BoundedMap<string, Presented>(MAX_REMEMBERED);

  constructor(
    private readonly handshakes: Handshakes,
    private readonly connections: Connections,
    private readonly registry: SocketRegistry,
    private readonly reports: SocketReports,
    private readonly resolver: TokenResolver,
    @Inject(socketsOptions.token) private readonly options: ResolvedSocketsOptions,
  ) {}

  /** Called with each server and namespace that the adapter creates. */
  prepare(server: IoServer, { cors }: { readonly cors?: unknown }): void {
    const { origin, credentials } = (cors ?? {}) as { origin?: unknown; credentials?: unknown };
    if (origin === true && credentials === true && this.options.settings.from.includes('cookie')) {
      throw new IllegalStateException(
        'A gateway has cors: { origin: true, credentials: true }, and kit.auth.sockets.from includes "cookie": every ' +
          'site could act as the users of its visitors. List the origins of your pages in cors.origin.',
      );
    }
    const recovery = server.opts?.connectionStateRecovery;
    if (recovery !== undefined) {
      recovery.skipMiddlewares = false;
      server.on('new_namespace', (namespace) => this.guardRecovery(namespace));
    }
  }

  connecting(server: IoServer, rule: ServerRule, listener: Listener): Listener {
    if (!this.guarded.has(server)) {
      this.guarded.add(server);
      server.use((client, next) => void this.decide(client, rule, next));
    }
    return (client) => {
      const connection = this.connections.of(client);
      if (connection !== undefined && !connection.isOver) {
        connection.context.run(() => listener(client));
      }
    };
  }

  private async decide(client: IoClient, rule: ServerRule, next: (error?: Error) => void): Promise<void> {
    const handshake: Handshake = {
      via: 'socket.io',
      client,
      request: client.request,
      auth: this.options.settings.from.includes('auth') ? tokenIn(client.handshake.auth) : undefined,
      close: (end) => close(client, end),
      isGone: () => client.conn.readyState !== 'open',
    };
    let connection: Connection | undefined;
    try {
      connection = await this.handshakes.whileWaiting(() => this.handshakes.admit(handshake, rule));
    } catch (error) {
      this.reports.refused('socket.io', rule, error);
      next(refusalOf(error));
      return;
    }
    if (connection === undefined) {
      next(new Error('disconnected'));
      return;
    }
    const admitted = connection;
    this.connections.note(admitted);
    client.once('disconnect', () => this.leave(client, admitted));
    client.conn.once('close', () => this.leave(client, admitted));
    next();
  }

  private leave({ id }: IoClient, connection: Connection): void {
    const { bearer, end } = connection;
    if (bearer !== undefined && end === undefined) {
      this.lost.set(id, bearer.token);
    }
    this.registry.remove(connection);
  }

  /**
   * A client whose connection is restored gets the events that it missed before any middleware runs. So its token is
   * checked first. Without it, the client connects like a new one.
   */
  private guardRecovery({ adapter }: IoNamespace): void {
    const restore = adapter.restoreSession.bind(adapter);
    adapter.restoreSession = async (pid, offset) => {
      const session = await restore(pid, offset);
      const token = session === null ? undefined : this.lost.get(session.sid);
      try {
        if (token !== undefined) {
          await this.resolver.resolve(token);
          return session;
        }
      } catch {
        // The client gets the reason at its handshake.
      }
      return null;
    };
  }
}

function tokenIn(auth: unknown): unknown {
  return typeof auth === 'object' && auth !== null && Object.hasOwn(auth, 'token')
    ? (auth as { token: unknown }).token
    : undefined;
}

/** What the client gets as `connect_error`, with our body as `data`. */
function refusalOf(error: unknown): Error {
  const isKnown = error instanceof AuthException;
  return Object.assign(new Error(isKnown ? error.message : 'Internal server error'), {
    data: isKnown ? error.getResponse() : { statusCode: 500 },
  });
}

function close(client: IoClient, end: SocketEnd): void {
  client.emit(KIT_AUTH, end);
  client.disconnect(end.code === 4401);
}
