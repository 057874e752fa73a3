import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { adminOptions, type ResolvedAdminOptions } from '../kit-auth-admin.options.js';
import { AuditLog } from './audit.log.js';

/** The first time, at most this long after start-up: a process that restarts often has to clean, too. */
const FIRST_WITHIN_MS = 60_000;
const EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Forgets what the audit log has kept for long enough. */
@Injectable()
export class AuditCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('KitAuthAdmin');
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly log: AuditLog,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    @Inject(adminOptions.token) private readonly options: ResolvedAdminOptions,
  ) {}

  onModuleInit(): void {
    if (this.settings.enabled) {
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

  /** In batches, until nothing old is left. */
  async clean(): Promise<void> {
    const before = new Date(Date.now() - this.options.settings.auditRetentionDays * DAY_MS);
    try {
      while (!this.isClosing && (await this.log.forget(before)) > 0);
    } catch (error) {
      this.logger.warn(
        `[auth] the audit log was not cleaned up: ${error instanceof Error ? error.message : typeof error}`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.isClosing = true;
    clearTimeout(this.timer);
  }
}
