import { Inject, Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, ErrorTexts, IllegalStateException } from 'kit-auth';
import { MessageContexts } from 'kit-auth/login';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import { type Connection, Connections } from '../connections/connection.js';
import type { SocketEnd } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { SocketReports } from '../connections/socket.reports.js';
import { clientOf, type Handshake, type ServerRule } from '../connections/handshake.js';
import { Handshakes } from '../handshake/handshakes.js';
import { removeEmptyChildren } from './io.namespaces.js';
import { KIT_AUTH } from './renewal.message.js';
import { type IoClient, type IoServer, isIoParent } from './servers.js';

type Listener = (client: IoClient) => void;

/** One connection has at least so many namespaces, or `maxPerUser` if that is more. */
const MAX_PEERS = 100;
/** A connection is closed after this many refusals: those that its client does not read stay in memory. */
const MAX_REFUSALS = 100;

/** The clients of a connection: one for each namespace. */
interface Peers {
  /** Those that are admitted, or about to be. */
  readonly clients: Set<IoClient>;
  refusals: number;
}

/**
 * Handshakes with clients of socket.io, in a middleware of the namespace: it runs before any event of the client, for
 * long polling and WebSockets alike.
 */
@Injectable()
export class IoHandshakes {
  private readonly guarded = new WeakSet<IoServer>();
  private readonly peers = new WeakMap<IoClient['conn'], Peers>();

  constructor(
    private readonly handshakes: Handshakes,
    private readonly connections: Connections,
    private readonly registry: SocketRegistry,
    private readonly reports: SocketReports,
    private readonly contexts: MessageContexts,
    private readonly texts: ErrorTexts,
    @Inject(socketsOptions.token) private readonly options: ResolvedSocketsOptions,
  ) {}

  /**
   * Guards a server or a namespace. Call it when the adapter has created it: it may have the root namespace, which
   * clients can join also if no gateway has it.
   *
   * @param ruleOf called for each client, when the gateways are known
   * @throws IllegalStateException for options with which clients would get past the handshake
   */
  guard(server: IoServer, ruleOf: () => ServerRule): void {
    if (this.guarded.has(server)) {
      return;
    }
    this.guarded.add(server);
    this.checkOptions(server);
    if (isIoParent(server)) {
      removeEmptyChildren(server);
    }
    server.use((client, next) => void this.decide(client, ruleOf(), next));
  }

  connecting(listener: Listener): Listener {
    return (client) => {
      const connection = this.connections.of(client);
      if (connection !== undefined && !connection.isOver) {
        connection.context.run(() => listener(client));
      } else if (connection?.end !== undefined) {
        // It was over while a middleware of the application waited, and could not be disconnected yet.
        close(client, connection.end);
      }
    };
  }

  private checkOptions({ opts }: IoServer): void {
    if (opts?.connectionStateRecovery !== undefined) {
      throw new IllegalStateException(
        'A gateway has connectionStateRecovery of socket.io, which KitAuthSocketsModule does not support: socket.io would restore ' +
          'the rooms and the missed events of a client before its token is checked. Remove the option. Let clients join their ' +
          'rooms again in handleConnection(), and load what they have missed.',
      );
    }
    const { origin, credentials } = (opts?.cors ?? {}) as { origin?: unknown; credentials?: unknown };
    if (origin === true && credentials === true && this.options.settings.from.includes('cookie')) {
      throw new IllegalStateException(
        'A gateway has cors: { origin: true, credentials: true }, and kit.auth.sockets.from includes "cookie": every ' +
          'site could act as the users of its visitors. List the origins of your pages in cors.origin.',
      );
    }
  }

  private async decide(client: IoClient, rule: ServerRule, next: (error?: Error) => void): Promise<void> {
    const handshake: Handshake = {
      via: 'socket.io',
      client,
      request: client.request,
      auth: this.options.settings.from.includes('auth') ? client.handshake.auth : undefined,
      close: (end) => close(client, end),
      isGone: () => client.conn.readyState !== 'open',
    };
    const peers = this.peersOn(client.conn); // before it is connected, it has no event of its own
    let connection: Connection | undefined;
    try {
      this.join(peers, client);
      connection = await this.handshakes.whileWaiting(() => this.handshakes.admit(handshake, rule));
    } catch (error) {
      this.reports.refused('socket.io', rule, error);
      next(this.refusalOf(error, handshake));
      leave(peers, client);
      return;
    }
    if (connection === undefined) {
      peers.clients.delete(client);
      next(new Error('disconnected'));
      return;
    }
    const admitted = connection;
    this.connections.note(admitted);
    client.once('disconnect', () => {
      peers.clients.delete(client);
      this.registry.remove(admitted);
    });
    next();
  }

  /** @throws AuthException 42900 for more namespaces than a connection may have */
  private join({ clients }: Peers, client: IoClient): void {
    if (clients.size >= Math.max(MAX_PEERS, this.options.settings.maxPerUser)) {
      throw new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { reason: 'too-many-sockets' });
    }
    clients.add(client);
  }

  /** The `connect_error` of the client, with our body as `data`. */
  private refusalOf(error: unknown, handshake: Handshake): Error {
    if (!(error instanceof AuthException)) {
      return Object.assign(new Error('Internal server error'), { data: { statusCode: 500 } });
    }
    const context = this.contexts.open(undefined, clientOf(handshake), handshake.request);
    const data = context.run(() => this.texts.of(error));
    return Object.assign(new Error(data.message), { data });
  }

  /** The clients of a connection. They have one listener, because a connection can have many namespaces. */
  private peersOn(conn: IoClient['conn']): Peers {
    let peers = this.peers.get(conn);
    if (peers === undefined) {
      const { clients } = (peers = { clients: new Set<IoClient>(), refusals: 0 });
      this.peers.set(conn, peers);
      conn.once('close', () => clients.forEach((client) => this.remove(client)));
    }
    return peers;
  }

  private remove(client: IoClient): void {
    const connection = this.connections.of(client);
    if (connection !== undefined) {
      this.registry.remove(connection);
    }
  }
}

/** Counts a refusal. */
function leave(peers: Peers, client: IoClient): void {
  peers.clients.delete(client);
  if (++peers.refusals >= MAX_REFUSALS) {
    client.conn.close();
  }
}

function close(client: IoClient, end: SocketEnd): void {
  client.emit(KIT_AUTH, end);
  client.disconnect(end.code === 4401);
}
