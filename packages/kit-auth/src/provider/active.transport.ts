import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { TOKEN_TRANSPORT, type TokenTransport } from '../contract/token-transport.js';
import { onlyContributionTo } from './contributions.js';

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
}
