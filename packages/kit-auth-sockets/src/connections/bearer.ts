import type { IncomingMessage } from 'node:http';
import type { Presented, ResolvedPrincipal } from 'kit-auth/extend';
import type { Connection } from './connection.js';

/** A token with the sockets that it admitted. They are checked together. */
export class Bearer {
  readonly connections = new Set<Connection>();
  checkedAt = Date.now();
  /** How many hints have come for its user, and how many of them the last check has seen. */
  hints = 0;
  hintsSeen = 0;
  /** Since when its checks fail, because a store does not answer. */
  failingSince: number | undefined;
  /** When to try again then. */
  retryAt = 0;
  /** Whether a message of its user asks for the next check. Otherwise the check must not prolong an idle session. */
  isActive = false;

  /** @param request the one that the token came with */
  constructor(
    readonly id: string,
    readonly token: Presented,
    readonly request: IncomingMessage,
    public principal: ResolvedPrincipal,
  ) {}

  renew(principal: ResolvedPrincipal): void {
    this.principal = principal;
    this.connections.forEach((connection) => connection.renew(principal));
  }

  /** Whether its user may have changed since the last check. */
  isInDoubt(now: number, maxAgeMs: number): boolean {
    return this.hintsSeen < this.hints || now - this.checkedAt >= maxAgeMs || now < this.checkedAt;
  }
}
