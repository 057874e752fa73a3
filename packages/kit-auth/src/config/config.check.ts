import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
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
    const all = this.core.settings.enabled ? this.resolvedOptions() : [this.core];
    const problems = all.flatMap((options) => options.problems);
    if (problems.length > 0) {
      throw new IllegalStateException(`The configuration is invalid: ${problems.join('; ')}.`);
    }
    for (const warning of all.flatMap((options) => options.warnings)) {
      this.logger.warn(`[auth] ${warning}`);
    }
  }

  /** Of every package that the application imports. */
  private resolvedOptions(): ResolvedOptions<unknown>[] {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    return instances.filter((it) => it instanceof ResolvedOptions);
  }
}
