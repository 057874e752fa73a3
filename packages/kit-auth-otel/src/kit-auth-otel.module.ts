import { Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { joinObservation, leaveObservation } from './shared-observation.js';

/**
 * Records metrics and spans of kit-auth with OpenTelemetry, from the start of the application until it is closed. Start
 * the SDK of OpenTelemetry before the application. It has no options: use views and samplers of the SDK to choose what
 * is kept. Applications of the same process are recorded together, and none is counted twice.
 *
 * @example
 * ```ts
 * @Module({ imports: [KitAuthModule.forRoot(), KitAuthJwtModule, KitAuthOtelModule] })
 * export class AppModule {}
 * ```
 */
@Module({})
export class KitAuthOtelModule implements OnModuleInit, OnApplicationShutdown {
  private isObserving = false;

  /** @throws IllegalStateException when `@opentelemetry/api` is not installed */
  async onModuleInit(): Promise<void> {
    await joinObservation();
    this.isObserving = true;
  }

  /** Nest calls this after the last request has been answered. */
  onApplicationShutdown(): void {
    if (this.isObserving) {
      this.isObserving = false;
      leaveObservation();
    }
  }
}
