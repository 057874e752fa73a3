import type { ExecutionContext } from '@nestjs/common';
import type { AuthException } from 'kit-auth';
import type { RouteRule } from 'kit-auth/extend';

/** What a handler sends to a client: server-sent events, or the events of a GraphQL subscription. */
export interface OpenStream {
  /** Of the call of the handler. */
  readonly context: ExecutionContext;
  /** What its user has to meet for as long as it is open. Undefined if that is nothing. */
  readonly rule: RouteRule | undefined;
  /**
   * Sends nothing more.
   *
   * @param error why its user may no longer have it. Undefined when the whole connection is over
   */
  stop(error?: AuthException): void;
}
