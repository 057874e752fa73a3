import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { BoundedMap } from 'kit-auth/extend';
import { type ResolvedSocketsOptions, socketsOptions } from '../config/sockets.options.js';
import { Connections } from '../connections/connections.js';
import { Handshakes } from '../handshake/handshakes.js';
import type { ServerRule } from '../connections/server-rule.js';
import type { IoClient, IoNamespace, IoPeer } from './servers.js';

/** More than the clients of one instance that reconnect in two minutes. */
const MAX_LOST = 100_000;

/** A client that lost its connection. */
interface Lost {
  readonly userId: UserId | undefined;
  readonly rule: ServerRule;
}

/** A client that is connecting. */
interface Coming {
  readonly peer: IoPeer;
  readonly auth: unknown;
}

/**
 * Checks clients whose connection socket.io restores (`connectionStateRecovery`): they get their rooms, and the events
 * that they missed, before any middleware runs. A client that is not the same user as before connects like a new one.
 */
@Injectable()
export class IoRecovery {
  /** By the secret id of the session. */
  private readonly lost = new BoundedMap<string, Lost>(MAX_LOST);
  private readonly coming = new AsyncLocalStorage<Coming>();

  constructor(
    private readonly handshakes: Handshakes,
    private readonly connections: Connections,
    @Inject(socketsOptions.token) private readonly options: ResolvedSocketsOptions,
  ) {}

  guard(namespace: IoNamespace): void {
    const { adapter } = namespace;
    const add = namespace._add.bind(namespace);
    const persist = adapter.persistSession.bind(adapter);
    const restore = adapter.restoreSession.bind(adapter);
    // Adapters learn the id of the session only.
    namespace._add = (peer, auth, done) => this.coming.run({ peer, auth }, () => add(peer, auth, done));
    adapter.persistSession = (session) => {
      this.remember(session.pid, namespace.sockets.get(session.sid));
      return persist(session);
    };
    adapter.restoreSession = async (pid, offset) =>
      (await this.mayRestore(pid)) ? restore(pid, offset) : null;
  }

  private remember(pid: string, client: IoClient | undefined): void {
    const connection = client && this.connections.of(client);
    if (connection !== undefined && !connection.isOver) {
      const { bearer, rule } = connection;
      this.lost.set(pid, { userId: bearer?.principal.user.userId, rule });
    }
  }

  private async mayRestore(pid: string): Promise<boolean> {
    const lost = this.lost.get(pid);
    const coming = this.coming.getStore();
    if (lost === undefined || coming === undefined) {
      return false;
    }
    this.lost.delete(pid);
    const { peer, auth } = coming;
    try {
      const found = await this.handshakes.whileWaiting(() =>
        this.handshakes.identify(
          {
            via: 'socket.io',
            client: peer,
            request: peer.request,
            auth: this.options.settings.from.includes('auth') ? auth : undefined,
            close: () => undefined,
            isGone: () => peer.conn.readyState !== 'open',
          },
          lost.rule,
        ),
      );
      return found?.principal.user.userId === lost.userId;
    } catch {
      return false; // the client gets the reason at its handshake
    }
  }
}
