import { Injectable } from '@nestjs/common';
import { AccessChecker, MessageContexts, Ports, type ResolvedPrincipal } from 'kit-auth/extend';
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
    const credential = this.ports.credentials.find(({ scheme }) => scheme === principal.scheme);
    for (const { gateway, rule } of gateways) {
      const context = new ConnectContext(handshake, gateway);
      await this.contexts.run(principal, clientOf(handshake), () =>
        this.checker.admit(principal, credential, rule, context),
      );
    }
  }
}
