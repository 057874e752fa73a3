import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { RESOLVED_OPTIONS, type ResolvedOptions } from './resolve-options.js';

/** Ends start-up on options that cannot be used, all of them named at once, and warns of the doubtful ones. */
@Injectable()
export class ConfigCheck implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(@Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions) {}

  onModuleInit(): void {
    const { problems, warnings } = this.options;
    if (problems.length > 0) {
      throw new IllegalStateException(`The configuration cannot be used: ${problems.join('; ')}.`);
    }
    warnings.forEach((warning) => this.logger.warn(`[auth] ${warning}`));
  }
}
