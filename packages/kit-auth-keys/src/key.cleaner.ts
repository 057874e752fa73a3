import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PeriodicCleaner } from 'kit-auth/extend';
import { KeyStore } from './stores/key.store.js';

/** Deletes keys that ended a month ago, about once an hour. */
@Injectable()
export class KeyCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly cleaner: PeriodicCleaner;

  constructor(
    store: KeyStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.cleaner = new PeriodicCleaner('old API keys', () => store.prune(Date.now()));
  }

  onModuleInit(): void {
    if (this.core.enabled) {
      this.cleaner.start();
    }
  }

  clean(): Promise<void> {
    return this.cleaner.clean();
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }
}
