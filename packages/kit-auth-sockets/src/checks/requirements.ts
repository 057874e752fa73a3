import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AccessChecker, requiresToken, type RouteRule, RouteRules } from 'kit-auth/tools';
import { MessageContexts, type ResolvedPrincipal } from 'kit-auth/login';
import { Ports } from 'kit-auth/feature';
import type { Connection, OpenStream } from '../connections/connection.js';
import { clientOf, type Handshake, type ServerRule, whileOpen } from '../connections/handshake.js';
import { ConnectContext } from './connect.context.js';

/** Decides whether a user may connect, stay connected, and receive what a handler sends. */
@Injectable()
export class Requirements {
  constructor(
    private readonly checker: AccessChecker,
    private readonly contexts: MessageContexts,
    private readonly ports: Ports,
    private readonly routes: RouteRules,
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

  /**
   * The requirements of a handler while it sends. A fresh login is only required when it is called.
   *
   * @param request the request of the handler, or the one that opened its connection
   * @returns undefined for a handler that is open
   */
  ofStream(context: ExecutionContext, request: { readonly url?: string | undefined }): RouteRule | undefined {
    const rule = this.routes.ruleFor(context, request as { url: string });
    const isOpen = rule.optional === undefined && !requiresToken(rule, request as { url: string }, true);
    return isOpen ? undefined : whileOpen(rule);
  }

  /** Checks whether a handler may continue to send. @throws AuthException like a call of the handler */
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
