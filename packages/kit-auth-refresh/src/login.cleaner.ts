import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PeriodicCleaner } from 'kit-auth/extend';
import { LOGIN_STORE } from './config/tokens.js';
import type { LoginStore } from './stores/login-store.js';

/** Deletes old logins from the table about once an hour. */
@Injectable()
export class LoginCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly cleaner: PeriodicCleaner;

  constructor(
    @Inject(LOGIN_STORE) store: LoginStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.cleaner = new PeriodicCleaner('old logins', () => store.prune(Date.now()));
  }

  onModuleInit(): void {
    if (this.core.enabled) {
      this.cleaner.start();
    }
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }
}
