import type { IncomingMessage } from 'node:http';
import { AuthErrorCode, AuthException, type Principal } from 'kit-auth';
import { invalidToken, type MessageContext, type MessageContexts } from 'kit-auth/extend';
import type { ServerRule } from '../gateways/gateway.rules.js';
import type { Bearer } from './bearer.js';
import type { SocketEnd } from './socket-end.js';

/** How a client is connected. */
export type SocketVia = 'ws' | 'socket.io' | 'graphql' | 'sse';

/** How to end the connection of a client. Called once. */
export type Closer = (end: SocketEnd) => void;

/** A client that was admitted at its handshake. */
export class Connection {
  /** The token that admitted it. Undefined for a client without a user. */
  bearer: Bearer | undefined;
  /** The last known user, also after the end. */
  lastPrincipal: Principal | undefined;
  /** Why it was ended by the server. */
  end: SocketEnd | undefined;
  /** Whether the client, or the server, has ended it. */
  isOver = false;
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
    this.context.close();
  }

  /** Runs a function with the last known user, for handlers that are called when the client has gone. */
  afterEnd<T>(fn: () => T): T {
    return this.contexts.run(this.lastPrincipal, this.context.client(), fn);
  }

  /** What its messages get once it is over. */
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
