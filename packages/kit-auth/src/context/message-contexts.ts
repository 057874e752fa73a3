import { Injectable } from '@nestjs/common';
import type { Client } from '../contract/client.js';
import type { Principal } from '../contract/login-proof.js';
import { type ClientRequest, Holder, storage } from './kit-auth.context.js';

/** The context of a connection, a message or a job: what runs in it has the user until it is closed. */
export class MessageContext extends Holder {
  constructor(
    principal: Principal | undefined,
    private readonly sender: Client | undefined,
    upgrade: ClientRequest | undefined,
  ) {
    super(undefined, false, false, upgrade);
    this.renew(principal);
  }

  /** Replaces the user, also for work that is running. Has no effect once the context is closed. */
  renew(principal: Principal | undefined): void {
    if (!this.isClosed) {
      this.principal = principal;
      this.user = principal?.user;
    }
  }

  /** Runs a function, and everything that it starts, in this context. */
  run<T>(fn: () => T): T {
    return storage.run(this, fn);
  }

  /** Ends the context: timers and streams that were left running no longer have the user. */
  close(): void {
    this.renew(undefined);
    this.isClosed = true;
  }

  override client(): Client | undefined {
    return this.sender;
  }
}

/**
 * Contexts outside of HTTP requests, for packages that bring users to connections, messages and jobs. In them,
 * `KitAuthContext` and `@CurrentUser()` work as in requests, and events name the user and the client.
 *
 * @example
 * ```ts
 * const context = this.contexts.open(principal, client);
 * socket.on('message', (message) => context.run(() => this.handle(message)));
 * socket.on('close', () => context.close());
 * ```
 */
@Injectable()
export class MessageContexts {
  /**
   * Opens a context, to be closed by the caller.
   *
   * @param principal the user; undefined while there is none
   * @param client the sender; undefined if it is unknown
   * @param upgrade the HTTP request that opened the connection, if there was one
   */
  open(
    principal: Principal | undefined,
    client: Client | undefined,
    upgrade?: ClientRequest,
  ): MessageContext {
    return new MessageContext(principal, client, upgrade);
  }

  /** Runs a function, and everything that it starts, in a context of its own that stays open. */
  run<T>(principal: Principal | undefined, client: Client | undefined, fn: () => T): T {
    return this.open(principal, client).run(fn);
  }
}

/** The context that `MessageContexts` has opened, if the current code runs in one. */
export function currentMessage(): MessageContext | undefined {
  const holder = storage.getStore();
  return holder instanceof MessageContext ? holder : undefined;
}

/** The path of the HTTP request that opened the current connection, or an empty one. */
export function messageRequest(): { readonly url: string } {
  return { url: currentMessage()?.request?.url ?? '' };
}
