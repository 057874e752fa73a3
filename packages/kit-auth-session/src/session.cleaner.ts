import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { SESSION_STORE } from './config/tokens.js';
import type { SessionStore } from './stores/session-store.js';

/** The first time, at most this long after start-up: a process that restarts often has to clean, too. */
const FIRST_WITHIN_MS = 60_000;
const EVERY_MS = 60 * 60_000;

/** Has the store forget old sessions now and then, and closes it in the end. */
@Injectable()
export class SessionCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('KitAuthSession');
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly core?: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    // Switched off, the store is not open either.
    if (this.core?.enabled) {
      this.cleanIn(FIRST_WITHIN_MS * Math.random());
    }
  }

  /** And again about an hour later. The delays are random, so that instances that start together take turns. */
  private cleanIn(delayMs: number): void {
    this.timer = setTimeout(() => {
      void this.clean();
      this.cleanIn(EVERY_MS * (0.75 + Math.random() / 2));
    }, delayMs).unref();
  }

  /** In batches, until nothing old is left. Several instances may do so at once. */
  async clean(): Promise<void> {
    try {
      while (!this.isClosing && (await this.store.prune(Date.now())) > 0);
    } catch (error) {
      this.logger.warn(
        `[auth] old sessions were not cleaned up: ${error instanceof Error ? error.message : typeof error}`,
      );
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.timer);
    await this.store.close?.();
  }
}
