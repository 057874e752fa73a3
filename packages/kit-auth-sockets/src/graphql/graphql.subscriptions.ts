import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import { type Connection, Connections } from '../connections/connection.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import type { ServerRule } from '../connections/handshake.js';
import { closeWs, type WsClient } from '../gateways/servers.js';
import { Handshakes } from '../handshake/handshakes.js';

/** A server has operations of all kinds, so each one is decided by itself. */
const RULE: ServerRule = {
  name: 'GraphQL',
  needsToken: false,
  readsToken: true,
  ignoresInvalid: false,
  gateways: [],
};

/** Mercurius refuses the client for this result. Its types do not say so. */
const REFUSED = undefined as never;

/** The parts of the context of a connection in graphql-ws. */
export interface GraphqlWsConnection {
  readonly connectionParams?: Readonly<Record<string, unknown>> | undefined;
  readonly extra: unknown;
}

/** Options for graphql-ws. */
export interface GraphqlWsHooks {
  readonly onConnect: (connection: GraphqlWsConnection) => Promise<boolean>;
}

/** Options for Mercurius. */
export interface MercuriusHooks {
  readonly onConnect: (message: { readonly payload?: unknown }) => Promise<Record<string, unknown>>;
}

/** The connection of Mercurius. It is `this` in the hooks. */
interface MercuriusConnection {
  readonly socket: WsClient;
  readonly context: { readonly request: { readonly raw: IncomingMessage } };
  handleMessage(message: unknown, isBinary: boolean): Promise<void>;
}

/**
 * Authenticates the clients of GraphQL subscriptions over WebSocket, and closes their connections when the login ends.
 *
 * @example
 * ```ts
 * GraphQLModule.forRootAsync<ApolloDriverConfig>({
 *   driver: ApolloDriver,
 *   inject: [GraphqlSubscriptions],
 *   useFactory: (subscriptions: GraphqlSubscriptions) => ({
 *     autoSchemaFile: true,
 *     subscriptions: { 'graphql-ws': subscriptions.options() },
 *   }),
 * })
 * ```
 */
@Injectable()
export class GraphqlSubscriptions {
  private readonly readsParams: boolean;
  private readonly known = new WeakSet<WsClient>();

  constructor(
    private readonly handshakes: Handshakes,
    private readonly connections: Connections,
    private readonly registry: SocketRegistry,
    @Inject(KIT_AUTH_SETTINGS) private readonly kitAuth: KitAuthSettings,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
  ) {
    this.readsParams = settings.from.includes('auth');
  }

  /**
   * Options for graphql-ws: for `subscriptions['graphql-ws']` of Apollo, or for `useServer()`. Clients send their token as
   * `connectionParams: { token }` or `{ Authorization }`, or in the header or the cookie of the upgrade. Those with an
   * invalid token are refused, with close code 4401, 4403, 4429 or 1013. Those without a token are admitted, for operations
   * that need none.
   *
   * @example
   * const { onConnect } = subscriptions.options();
   * const options = { onConnect: async (connection) => (await onConnect(connection)) && yourCheck(connection) };
   */
  options(): GraphqlWsHooks {
    return {
      onConnect: async ({ connectionParams, extra }) => {
        const { socket, request } = extra as { socket: WsClient; request: IncomingMessage };
        return !this.kitAuth.enabled || (await this.connect(socket, request, connectionParams)) !== undefined;
      },
    };
  }

  /**
   * Options for the `subscription` of Mercurius. They work like `options()`. Each connection has one login, so the
   * extension `connectionInit` of single operations is refused.
   *
   * @example
   * GraphQLModule.forRootAsync<MercuriusDriverConfig>({
   *   driver: MercuriusDriver,
   *   inject: [GraphqlSubscriptions],
   *   useFactory: (subscriptions: GraphqlSubscriptions) => ({
   *     autoSchemaFile: true,
   *     subscription: subscriptions.mercurius(),
   *   }),
   * })
   */
  mercurius(): MercuriusHooks {
    const connect = (mercurius: MercuriusConnection, params: unknown) =>
      this.connectMercurius(mercurius, params);
    return {
      async onConnect(this: unknown, { payload }) {
        return (await connect(this as MercuriusConnection, payload)) ? {} : REFUSED;
      },
    };
  }

  private async connectMercurius(mercurius: MercuriusConnection, params: unknown): Promise<boolean> {
    if (!this.kitAuth.enabled) {
      return true;
    }
    if (typeof (mercurius as MercuriusConnection | undefined)?.handleMessage !== 'function') {
      throw new IllegalStateException(
        'GraphqlSubscriptions does not know this version of Mercurius, so it refuses all clients of its subscriptions. Pass ' +
          'the options of mercurius() as they are, and report the version.',
      );
    }
    const { socket, context } = mercurius;
    const connection = await this.connect(socket, context.request.raw, params);
    if (connection === undefined) {
      return false;
    }
    // Mercurius reads messages in a loop that has begun before, so their events have no context of their own.
    const handle = mercurius.handleMessage.bind(mercurius);
    mercurius.handleMessage = (...args) => connection.context.run(() => handle(...args));
    return true;
  }

  /** @returns undefined for a client that was refused, or has gone */
  private async connect(
    socket: WsClient,
    request: IncomingMessage,
    params: unknown,
  ): Promise<Connection | undefined> {
    if (this.known.has(socket)) {
      return undefined;
    }
    this.known.add(socket);
    const connection = await this.handshakes.decide(
      {
        via: 'graphql',
        client: socket,
        request,
        auth: this.readsParams ? params : undefined,
        close: (end) => closeWs(socket, request, end),
        isGone: () => socket.readyState !== socket.OPEN,
      },
      RULE,
    );
    if (connection === undefined || connection.isOver) {
      return undefined;
    }
    this.connections.note(connection);
    runIn(connection, socket);
    socket.once('close', () => this.registry.remove(connection));
    return connection;
  }
}

/**
 * Handles what the client sends in the context of its connection. The server of GraphQL runs an operation, and waits for each
 * of its events, in the function that handles its message, so all of them have the user.
 */
function runIn(connection: Connection, socket: WsClient): void {
  const emit = socket.emit.bind(socket) as (event: string, ...args: unknown[]) => boolean;
  const inContext: typeof emit = (event, ...args) => {
    if (event === 'close') {
      return connection.afterEnd(() => emit(event, ...args));
    }
    const isLate = event === 'message' && connection.isOver;
    return !isLate && connection.context.run(() => emit(event, ...args));
  };
  Object.assign(socket, { emit: inContext });
}
