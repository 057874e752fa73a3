import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { TOKEN_TRANSPORT, type TokenTransport, type TransportRequest } from '../contract/token-transport.js';
import { onlyContributionTo } from './contributions.js';
import { failureOf } from './failure.js';
import { isSafe, transportRequestOf } from './transport-request.js';

/** The token transport of the application, if it has one. */
@Injectable()
export class ActiveTransport implements OnModuleInit {
  private transport: TokenTransport | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException for a second one */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.transport = onlyContributionTo<TokenTransport>(this.discovery, TOKEN_TRANSPORT, 'TokenTransport', [
        'read',
        'write',
        'clear',
      ]);
    }
  }

  get(): TokenTransport | undefined {
    return this.transport;
  }

  /** The token of a request without a token header. @throws AuthException of the transport */
  read(request: object): string | undefined {
    return this.ask(request, (transport, it) => transport.read(it));
  }

  /** The refresh token of a request whose body has none. @throws AuthException of the transport */
  readRefreshToken(request: object): string | undefined {
    return this.ask(request, (transport, it) => transport.readRefreshToken?.(it));
  }

  /** Asks whether an open endpoint of ours may handle a request. @throws AuthException of the transport */
  admit(request: object): void {
    this.ask(request, (transport, it) => {
      if (!isSafe(it)) {
        transport.admit?.(it);
      }
    });
  }

  private ask<T>(
    request: object,
    question: (transport: TokenTransport, request: TransportRequest) => T,
  ): T | undefined {
    const transportRequest = this.transport && transportRequestOf(request);
    if (this.transport === undefined || transportRequest === undefined) {
      return undefined;
    }
    try {
      return question(this.transport, transportRequest);
    } catch (error) {
      throw failureOf(error, 'the token transport');
    }
  }
}
