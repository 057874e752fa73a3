import { Injectable } from '@nestjs/common';
import { AccessChecker, MessageContexts, Ports, type ResolvedPrincipal } from 'kit-auth/extend';
import type { Connection } from '../connections/connection.js';
import type { OpenStream } from '../connections/open.stream.js';
import type { ServerRule } from '../connections/server-rule.js';
import { ConnectContext } from './connect.context.js';
import { clientOf, type Handshake } from '../connections/handshake.js';

/** Checks whether a user may connect, or stay connected. */
@Injectable()
export class Requirements {
  constructor(
    private readonly checker: AccessChecker,
    private readonly contexts: MessageContexts,
    private readonly ports: Ports,
  ) {}

  /** @throws AuthException like a request to a route with the same requirements */
  async check(principal: ResolvedPrincipal, { gateways }: ServerRule, handshake: Handshake): Promise<void> {
    const credential = this.credentialOf(principal);
    for (const { gateway, rule } of gateways) {
      const context = new ConnectContext(handshake, gateway);
      await this.contexts.run(principal, clientOf(handshake), () =>
        this.checker.admit(principal, credential, rule, context),
      );
    }
  }

  /** Checks whether a user may still have what a handler sends. @throws AuthException like a call of the handler */
  async checkStream(
    principal: ResolvedPrincipal,
    { rule, context }: OpenStream,
    connection: Connection,
  ): Promise<void> {
    if (rule !== undefined) {
      await connection.context.run(() =>
        this.checker.admit(principal, this.credentialOf(principal), rule, context),
      );
    }
  }

  private credentialOf({ scheme }: ResolvedPrincipal) {
    return this.ports.credentials.find((credential) => credential.scheme === scheme);
  }
}
