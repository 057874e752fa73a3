import { Inject, Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { DATABASE, type Database, type Transaction } from '../database/database.module.js';
import { auditLog } from '../database/schema.js';

/** Writes logins, refusals and password changes to the table `audit_log`. */
@Injectable()
export class AuditSink implements AuthEventSink {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @param transaction that of `DrizzleUserStore.transaction()`, for the event of a change */
  async keep(event: AuthEvent, transaction?: unknown): Promise<void> {
    const db = (transaction as Transaction | undefined) ?? this.db;
    await db.insert(auditLog).values(event);
  }

  async keepAll(events: readonly AuthEvent[]): Promise<void> {
    await this.db.insert(auditLog).values([...events]);
  }
}
