import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type ResolvedSocketsOptions, socketsOptions, type SocketsSettings } from '../sockets.options.js';
import { type Connection, Connections } from '../connections/connection.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import type { Handshake, ServerRule } from '../connections/handshake.js';
import { Handshakes } from '../handshake/handshakes.js';
import { FirstMessage } from './first.message.js';
import { closeWs, type WsClient } from './servers.js';

type Listener = (client: WsClient, request: IncomingMessage) => void;

/**
 * Handshakes with clients of `ws`. The upgrade is accepted, and a refused client gets a close code, because browsers hide
 * the status of a refused upgrade. Until the decision, the client is paused: what it sends stays in its connection.
 */
@Injectable()
export class WsHandshakes {
  private readonly settings: SocketsSettings;
  /** Several gateways can share a server. */
  private readonly decisions = new WeakMap<WsClient, Promise<Connection | undefined>>();

  constructor(
    private readonly handshakes: Handshakes,
    private readonly connections: Connections,
    private readonly registry: SocketRegistry,
    private readonly firstMessage: FirstMessage,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
  ) {
    this.settings = settings;
  }

  connecting(rule: ServerRule, listener: Listener): Listener {
    return (client, request) => {
      void this.decision(client, request, rule).then((connection) => {
        if (connection !== undefined && !connection.isOver) {
          connection.context.run(() => listener(client, request));
        }
      });
    };
  }

  private decision(
    client: WsClient,
    request: IncomingMessage,
    rule: ServerRule,
  ): Promise<Connection | undefined> {
    let decision = this.decisions.get(client);
    if (decision === undefined) {
      decision = this.decide(client, request, rule);
      this.decisions.set(client, decision);
    }
    return decision;
  }

  private async decide(
    client: WsClient,
    request: IncomingMessage,
    rule: ServerRule,
  ): Promise<Connection | undefined> {
    client.pause();
    const handshake: Handshake = {
      via: 'ws',
      client,
      request,
      close: (end) => closeWs(client, request, end),
      isGone: () => client.readyState !== client.OPEN,
    };
    // The listeners of all gateways come first: they wait for the same promise.
    const resume = () => setImmediate(() => client.resume());
    const mayWait = this.settings.from.includes('message') && rule.readsToken;
    const decided = mayWait
      ? await this.firstMessage.decide(client, handshake, rule)
      : await this.handshakes.decide(handshake, rule);
    if (decided !== undefined) {
      this.connections.note(decided);
      client.once('close', () => this.registry.remove(decided));
    }
    resume();
    return decided;
  }
}
