import type { IncomingMessage } from 'node:http';
import { AuthErrorCode, AuthException, type LoginUser, type Principal } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import type { MessageContext, MessageContexts, Presented, ResolvedPrincipal } from 'kit-auth/login';
import type { RouteRule } from 'kit-auth/tools';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Closer, ServerRule, SocketVia } from './handshake.js';
import type { SocketEnd } from './socket-end.js';

/** A client that was admitted at its handshake. */
export class Connection {
  /** The token that admitted it. Undefined for a client without a user. */
  bearer: Bearer | undefined;
  /** The last known user, also after the end. */
  lastPrincipal: Principal | undefined;
  /** Why it was ended by the server. */
  end: SocketEnd | undefined;
  /** True once the client or the server has ended it. */
  isOver = false;
  readonly streams = new Set<OpenStream>();
  readonly openedAt = new Date();

  /**
   * @param client the object of the library, such as a `WebSocket` of `ws` or a `Socket` of socket.io
   * @param context what its handlers run in
   */
  constructor(
    readonly via: SocketVia,
    readonly client: unknown,
    readonly request: IncomingMessage,
    readonly rule: ServerRule,
    readonly context: MessageContext,
    private readonly closer: Closer,
    private readonly contexts: MessageContexts,
  ) {
    this.lastPrincipal = context.principal;
  }

  get principal(): Principal | undefined {
    return this.context.principal;
  }

  renew(principal: Principal): void {
    this.lastPrincipal = principal;
    this.context.renew(principal);
  }

  /** Takes the user away, so that no further handler runs for it. The client learns of it when `close()` is called. */
  revoke(end?: SocketEnd): void {
    this.isOver = true;
    this.end ??= end;
    this.streams.forEach((stream) => stream.stop());
    this.streams.clear();
    this.context.close();
  }

  /** Runs a function with the last known user, for handlers that are called when the client has gone. */
  afterEnd<T>(fn: () => T): T {
    return this.contexts.run(this.lastPrincipal, this.context.client(), fn);
  }

  /** The refusal of its messages once it is over. */
  refusal(): AuthException {
    return this.end?.code === 4403
      ? new AuthException(AuthErrorCode.FORBIDDEN)
      : invalidToken(this.end?.reason);
  }

  close(): void {
    if (this.end !== undefined) {
      this.closer(this.end);
    }
  }
}

/** A user with tokens that have admitted sockets. Their checks share look-ups of the user. */
export class SocketUser {
  readonly bearers = new Set<Bearer>();
  /** Counts the hints for this user. */
  hints = 0;
  /** The last look-up, with the hints that had come before it. */
  lookup: { readonly hints: number; readonly at: number; readonly user: Promise<LoginUser> } | undefined;
}

/** A token with the sockets that it admitted. They are checked together. */
export class Bearer {
  readonly connections = new Set<Connection>();
  checkedAt = Date.now();
  /** The number of the last hint, and of the last one that a check has seen. */
  hints = 0;
  hintsSeen = 0;
  /** The time since which its checks fail, because a store does not answer. */
  failingSince: number | undefined;
  /** When to try again then. */
  retryAt = 0;
  /** True if a message of its user caused the next check. Other checks must not prolong an idle session. */
  isActive = false;

  /** @param request the one that the token came with */
  constructor(
    readonly id: string,
    readonly token: Presented,
    readonly request: IncomingMessage,
    public principal: ResolvedPrincipal,
    readonly user: SocketUser,
  ) {}

  /** Called when its user or its login may have changed. */
  hint(): void {
    this.hints = ++this.user.hints;
  }

  renew(principal: ResolvedPrincipal): void {
    this.principal = principal;
    this.connections.forEach((connection) => connection.renew(principal));
  }

  /** True if its user may have changed since the last check. */
  isInDoubt(now: number, maxAgeMs: number): boolean {
    return this.hintsSeen < this.hints || now - this.checkedAt >= maxAgeMs || now < this.checkedAt;
  }
}

/** Finds the connections of clients. */
@Injectable()
export class Connections {
  private readonly byClient = new WeakMap<object, Connection>();
  private readonly byContext = new WeakMap<MessageContext, Connection>();

  note(connection: Connection): void {
    this.byClient.set(connection.client as object, connection);
    this.byContext.set(connection.context, connection);
  }

  of(client: object): Connection | undefined {
    return this.byClient.get(client);
  }

  ofContext(context: MessageContext): Connection | undefined {
    return this.byContext.get(context);
  }
}

/** The output of a handler: server-sent events, or the events of a GraphQL subscription. */
export interface OpenStream {
  /** The context of the call of the handler. */
  readonly context: ExecutionContext;
  /** Requirements checked while the stream is open. */
  readonly rule: RouteRule | undefined;
  /**
   * Sends nothing more.
   *
   * @param error the refusal for its user. Undefined when the whole connection is over
   */
  stop(error?: AuthException): void;
}
