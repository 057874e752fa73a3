import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit, Optional } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PeriodicCleaner } from 'kit-auth/tools';
import { SESSION_STORE, type SessionStore } from './stores/session-store.js';

/** Deletes old sessions from the store about once an hour, and closes the store on shutdown. */
@Injectable()
export class SessionCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly cleaner: PeriodicCleaner;

  constructor(
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly core?: KitAuthSettings,
  ) {
    this.cleaner = new PeriodicCleaner('old sessions', () => store.prune(Date.now()));
  }

  onModuleInit(): void {
    // With kit.auth.enabled: false, the store was never opened.
    if (this.core?.enabled) {
      this.cleaner.start();
    }
  }

  clean(): Promise<void> {
    return this.cleaner.clean();
  }

  async onApplicationShutdown(): Promise<void> {
    this.cleaner.stop();
    await this.store.close?.();
  }
}
