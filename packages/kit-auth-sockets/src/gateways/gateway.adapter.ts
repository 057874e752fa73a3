import {
  Inject,
  Injectable,
  type INestApplicationContext,
  type OnApplicationBootstrap,
  type WebSocketAdapter,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { MessageExplorer } from 'kit-auth/tools';
import { Observable } from 'rxjs';
import { Connections } from '../connections/connection.js';
import { GatewayRules } from './gateway.rules.js';
import { IoHandshakes } from './io.handshakes.js';
import { RenewalMessage } from './renewal.message.js';
import { isIoServer, isWsServer } from './servers.js';
import { WsHandshakes } from './ws.handshakes.js';

type Adapter = Required<Pick<WebSocketAdapter, 'create' | 'bindClientConnect' | 'bindMessageHandlers'>> &
  Pick<WebSocketAdapter, 'bindClientDisconnect'>;
type Listener = (...args: unknown[]) => void;

/**
 * Adds the handshake and the context of messages to the WebSocket adapter of the application. Nest
 * connects gateways before `onModuleInit()`, so it is done in the constructor.
 */
@Injectable()
export class GatewayAdapter implements OnApplicationBootstrap {
  private readonly wrapped = new WeakSet<object>();

  constructor(
    private readonly config: ApplicationConfig,
    private readonly rules: GatewayRules,
    private readonly wsHandshakes: WsHandshakes,
    private readonly ioHandshakes: IoHandshakes,
    private readonly connections: Connections,
    private readonly renewal: RenewalMessage,
    private readonly explorer: MessageExplorer,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {
    if (!settings.enabled) {
      return;
    }
    const set = config.setIoAdapter.bind(config);
    config.setIoAdapter = (adapter) => set(this.wrap(adapter));
    if (this.adapter !== null) {
      this.wrap(this.adapter);
    }
  }

  /** @throws IllegalStateException when the application has gateways whose adapter is not ours */
  onApplicationBootstrap(): void {
    const { adapter } = this;
    const hasGateways = this.explorer.gateways().length > 0;
    if (this.settings.enabled && hasGateways && adapter !== null && !this.wrapped.has(adapter)) {
      throw new IllegalStateException(
        'KitAuthSocketsModule does not guard the gateways, because their WebSocket adapter was set in a way that it does ' +
          'not know. In main.ts, call app.useWebSocketAdapter(kitAuthAdapter(app, adapter)) with that adapter.',
      );
    }
  }

  /** Changes the adapter in place, so that its type and its own members stay as they are. */
  wrap<T extends WebSocketAdapter>(adapter: T): T {
    if (!this.wrapped.has(adapter)) {
      this.wrapped.add(adapter);
      this.wrapMethods(adapter);
    }
    return adapter;
  }

  private get adapter(): WebSocketAdapter | null {
    return this.config.getIoAdapter() as WebSocketAdapter | null;
  }

  private wrapMethods(adapter: Adapter): void {
    const create = adapter.create.bind(adapter);
    const bindClientConnect = adapter.bindClientConnect.bind(adapter);
    const bindMessageHandlers = adapter.bindMessageHandlers.bind(adapter);
    const bindClientDisconnect = adapter.bindClientDisconnect?.bind(adapter);

    adapter.create = (port, options) => {
      const server = create(port, options) as object;
      this.rules.note(server, port, (options ?? {}) as object);
      if (isIoServer(server)) {
        this.ioHandshakes.guard(server, () => this.rules.of(server));
      }
      return server;
    };
    adapter.bindClientConnect = (server: object, listener: (...args: unknown[]) => void) => {
      bindClientConnect(server, this.connecting(server, listener));
    };
    adapter.bindMessageHandlers = (client: object, handlers, transform) => {
      const connection = this.connections.of(client);
      if (connection === undefined) {
        bindMessageHandlers(client, handlers, transform);
        return;
      }
      const { context } = connection;
      bindMessageHandlers(
        client,
        [
          ...this.renewal.handlersFor(connection),
          ...handlers.map((handler) => ({
            ...handler,
            callback: (...args: unknown[]) =>
              context.run(() => handler.callback(...(args as [])) as Promise<unknown>),
          })),
        ],
        (data) => new Observable((subscriber) => context.run(() => transform(data).subscribe(subscriber))),
      );
    };
    if (bindClientDisconnect !== undefined) {
      adapter.bindClientDisconnect = (client: object, listener: Listener) => {
        const connection = this.connections.of(client);
        bindClientDisconnect(
          client,
          connection === undefined
            ? listener
            : (...args: unknown[]) => connection.afterEnd(() => listener(...args)),
        );
      };
    }
  }

  /** @returns what the server calls for each client. It calls the listener of Nest for admitted clients only */
  private connecting(server: object, listener: Listener): Listener {
    if (isIoServer(server)) {
      return this.ioHandshakes.connecting(listener) as Listener;
    }
    const rule = this.rules.of(server);
    if (isWsServer(server)) {
      return this.wsHandshakes.connecting(rule, listener) as Listener;
    }
    throw new IllegalStateException(
      `KitAuthSocketsModule cannot guard ${rule.name}: its server is neither one of ws nor one of socket.io.`,
    );
  }
}

/**
 * Guards an adapter that reaches Nest in a way that `KitAuthSocketsModule` does not notice. Start-up tells when it is
 * needed.
 *
 * @example
 * app.useWebSocketAdapter(kitAuthAdapter(app, new RedisIoAdapter(app)));
 */
export function kitAuthAdapter<T extends WebSocketAdapter>(app: INestApplicationContext, adapter: T): T {
  return app.get(GatewayAdapter, { strict: false }).wrap(adapter);
}
