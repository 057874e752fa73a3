import type { ExecutionContext } from '@nestjs/common';
import type { AuthException } from '../errors/auth.exception.js';
import type { Principal } from './login-proof.js';

/**
 * Injection token of sources of the users of messages. Any module may contribute any number of them. With two for the
 * same type, start-up fails with `IllegalStateException`.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_MESSAGES, useClass: SocketMessages }] })
 * export class SocketMessagesModule {}
 * ```
 */
export const AUTH_MESSAGES = Symbol.for('kit-auth.messages');

/** Kinds of messages, as in `ExecutionContext.getType()`: of gateways, of microservices, and of GraphQL subscriptions. */
export type MessageType = 'ws' | 'rpc' | 'graphql';

/**
 * Tells the guard who sent a message. With it, access decorators work on message handlers as on routes. Without it,
 * handlers that require a token refuse every message.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class SocketMessages implements AuthMessages {
 *   readonly types = ['ws'] as const;
 *
 *   constructor(private readonly sockets: AuthenticatedSockets) {}
 *
 *   principalOf(context: ExecutionContext): Principal | undefined {
 *     return this.sockets.principalOf(context.switchToWs().getClient());
 *   }
 * }
 * ```
 */
export interface AuthMessages {
  /** The kinds of messages whose users it knows. */
  readonly types: readonly MessageType[];
  /**
   * The user of a message, for handlers that are not open by `@Public()`. Undefined if it has none: handlers that
   * require a token refuse it with 40100, and others are called without a user.
   *
   * Throw or reject with an `AuthException` to refuse the message, whatever its handler requires.
   */
  principalOf(context: ExecutionContext): Principal | undefined | Promise<Principal | undefined>;
  /**
   * Called with each refusal of a message.
   *
   * @returns the error that the guard throws. For the `AuthException` itself, the guard throws an exception of Nest with
   * the same body, because Nest sends no other to clients of gateways
   */
  refusal?(error: AuthException, context: ExecutionContext): unknown;
}
