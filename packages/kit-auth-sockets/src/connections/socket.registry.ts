import { setImmediate } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { IllegalStateException, type UserId } from 'kit-auth';
import { describeError } from 'kit-auth/tools';
import type { Presented, ResolvedPrincipal } from 'kit-auth/login';
import { Bearer, type Connection, SocketUser } from './connection.js';
import type { SocketVia } from './handshake.js';
import { SocketReports } from './socket.reports.js';
import type { SocketCloseCode, SocketEnd } from './socket-end.js';

/** An open socket of a user. */
export interface OpenSocket {
  /** The object of the library: a `WebSocket` of `ws`, a `Socket` of socket.io, the response of server-sent events. */
  readonly client: unknown;
  readonly via: SocketVia;
  readonly userId: UserId;
  /** The login that it belongs to. Undefined with tokens that name none. */
  readonly loginId: string | undefined;
  readonly openedAt: Date;
}

export interface CloseOptions {
  /** Default 4401: clients do not reconnect by themselves. */
  code?: SocketCloseCode;
  /** One word for clients, at most 32 characters of `[a-z-]`. Default `kicked`. */
  reason?: string;
}

const CODES: ReadonlySet<SocketCloseCode> = new Set([4401, 4403, 4408, 4429, 1013]);
const REASON = /^[a-z-]{1,32}$/;
/** Sockets are closed in turns of this size, between which other work is done. */
const TURN = 50;

/**
 * The open sockets of users on this instance.
 *
 * @example
 * ```ts
 * constructor(private readonly sockets: SocketRegistry) {}
 *
 * async leave(userId: number): Promise<void> {
 *   await this.sockets.close(this.sockets.ofUser(userId), { reason: 'left' });
 * }
 * ```
 */
@Injectable()
export class SocketRegistry {
  private readonly logger = new Logger('KitAuthSockets');
  private readonly bearers = new Map<Presented, Bearer>();
  private readonly byId = new Map<string, Bearer>();
  private readonly byUser = new Map<UserId, SocketUser>();
  private readonly byView = new WeakMap<OpenSocket, Connection>();
  private count = 0;

  constructor(private readonly reports: SocketReports) {}

  /** The sockets of a user, in no particular order. */
  ofUser(userId: UserId): OpenSocket[] {
    return this.bearersOf(userId).flatMap((bearer) => this.viewsOf(bearer));
  }

  /** The sockets of a login. */
  ofLogin(loginId: string): OpenSocket[] {
    return [...this.bearers.values()]
      .filter(({ principal }) => principal.proof.loginId === loginId)
      .flatMap((bearer) => this.viewsOf(bearer));
  }

  /**
   * Closes sockets of this instance. Their handlers are not called any more. Resolves when all are told.
   *
   * @throws IllegalStateException for a code or a reason of another form, before any socket is closed
   */
  async close(
    sockets: Iterable<OpenSocket>,
    { code = 4401, reason = 'kicked' }: CloseOptions = {},
  ): Promise<void> {
    if (!CODES.has(code) || !REASON.test(reason)) {
      throw new IllegalStateException(
        `SocketRegistry.close() needs one of the codes ${[...CODES].join(', ')}, and a reason of 1 to 32 characters of [a-z-]`,
      );
    }
    const connections = [...sockets].flatMap((socket) => this.byView.get(socket) ?? []);
    await this.end(connections, { code, reason });
  }

  /** Adds the connection of a user. @internal */
  add(connection: Connection, token: Presented, principal: ResolvedPrincipal): Bearer {
    const { userId } = principal.user;
    let bearer = this.bearers.get(token);
    if (bearer !== undefined && bearer.principal.user.userId !== userId) {
      void this.end([...bearer.connections], { code: 4401, reason: 'revoked' }); // forgets the bearer at once
      bearer = undefined;
    }
    if (bearer === undefined) {
      const user = this.byUser.get(userId) ?? new SocketUser();
      bearer = new Bearer(String(this.count++), token, connection.request, principal, user);
      user.bearers.add(bearer);
      this.byUser.set(userId, user);
      this.bearers.set(token, bearer);
      this.byId.set(bearer.id, bearer);
    }
    connection.bearer = bearer;
    bearer.connections.add(connection);
    bearer.renew(principal);
    return bearer;
  }

  /** Moves a connection to another token of its user. @internal */
  move(connection: Connection, token: Presented, principal: ResolvedPrincipal): Bearer {
    this.detach(connection);
    return this.add(connection, token, principal);
  }

  /** Called when a client is gone, by itself or after `end()`. @internal */
  remove(connection: Connection): void {
    if (!connection.isOver) {
      connection.revoke();
      this.detach(connection);
      this.reports.closed(connection);
    }
  }

  /** Ends connections: at once for their handlers, and then in turns for their clients. @internal */
  async end(connections: readonly Connection[], end: SocketEnd): Promise<void> {
    const live = connections.filter(({ isOver }) => !isOver);
    live.forEach((connection) => {
      connection.revoke(end);
      this.detach(connection);
    });
    for (const [i, connection] of live.entries()) {
      if (i % TURN === TURN - 1) {
        await setImmediate();
      }
      this.reports.closed(connection);
      this.tell(connection);
    }
  }

  /** @internal */
  countOf(userId: UserId): number {
    return this.bearersOf(userId).reduce((sum, { connections }) => sum + connections.size, 0);
  }

  /** @internal */
  bearerOf(id: string): Bearer | undefined {
    return this.byId.get(id);
  }

  /** @internal */
  bearersOf(userId: UserId): Bearer[] {
    return [...(this.byUser.get(userId)?.bearers ?? [])];
  }

  /** @internal */
  all(): IterableIterator<Bearer> {
    return this.bearers.values();
  }

  /** Libraries call listeners of the application. One that fails must not keep other sockets open. */
  private tell(connection: Connection): void {
    try {
      connection.close();
    } catch (error) {
      const { via, rule } = connection;
      this.logger.error(`[auth] closing a socket of ${rule.name} (${via}) failed: ${describeError(error)}`);
    }
  }

  private detach(connection: Connection): void {
    const { bearer } = connection;
    if (bearer?.connections.delete(connection) !== true) {
      return;
    }
    if (bearer.connections.size === 0) {
      this.bearers.delete(bearer.token);
      this.byId.delete(bearer.id);
      const { bearers } = bearer.user;
      bearers.delete(bearer);
      if (bearers.size === 0) {
        this.byUser.delete(bearer.principal.user.userId);
      }
    }
  }

  private viewsOf({ connections, principal }: Bearer): OpenSocket[] {
    return [...connections].map((connection) => {
      const { client, via, openedAt } = connection;
      const view = { client, via, userId: principal.user.userId, loginId: principal.proof.loginId, openedAt };
      this.byView.set(view, connection);
      return view;
    });
  }
}
