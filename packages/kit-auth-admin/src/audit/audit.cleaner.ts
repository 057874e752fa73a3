import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PeriodicCleaner } from 'kit-auth/tools';
import { adminOptions, type ResolvedAdminOptions } from '../admin.options.js';
import { AuditLog } from './audit.log.js';

const DAY_MS = 24 * 60 * 60_000;

/** Deletes the events of the audit log that are older than `auditRetentionDays`. */
@Injectable()
export class AuditCleaner implements OnModuleInit, OnApplicationShutdown {
  private readonly cleaner: PeriodicCleaner;

  constructor(
    log: AuditLog,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    @Inject(adminOptions.token) { settings: { auditRetentionDays } }: ResolvedAdminOptions,
  ) {
    this.cleaner = new PeriodicCleaner('the audit log', () =>
      log.deleteBefore(new Date(Date.now() - auditRetentionDays * DAY_MS)),
    );
  }

  onModuleInit(): void {
    if (this.settings.enabled) {
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
