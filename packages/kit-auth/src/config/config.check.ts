import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { ResolvedOptions } from './define-options.js';
import { kitAuthOptions } from './kit-auth.options.js';

/** Fails start-up on invalid options, naming all of them at once, and logs the warnings. */
@Injectable()
export class ConfigCheck implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(kitAuthOptions.token) private readonly core: ResolvedOptions<KitAuthSettings>,
  ) {}

  onModuleInit(): void {
    const problems = this.resolvedOptions().flatMap((options) => options.problems);
    if (problems.length > 0) {
      throw new IllegalStateException(`The configuration is invalid: ${problems.join('; ')}.`);
    }
    this.warnings().forEach((warning) => this.logger.warn(`[auth] ${warning}`));
  }

  /** The warnings of start-up, for example about unknown options. Each contains the full key. */
  warnings(): string[] {
    return this.resolvedOptions().flatMap((options) => options.warnings);
  }

  /** The options of every package that the application imports. */
  private resolvedOptions(): ResolvedOptions<unknown>[] {
    if (!this.core.settings.enabled) {
      return [this.core];
    }
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    return instances.filter((instance) => instance instanceof ResolvedOptions);
  }
}
