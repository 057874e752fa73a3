import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { PrismaService } from '../database/prisma.service.js';
import type { Prisma } from '../generated/client.js';

/** Prisma refuses members that are no columns, so these are named. */
const entryOf = (event: AuthEvent) => {
  const { at, type, actorId, actor, subjectId, subject, success, detail, address } = event;
  return { at, type, actorId, actor, subjectId, subject, success, detail, address };
};

/** Writes logins, refusals and password changes to the table `audit_log`. */
@Injectable()
export class AuditSink implements AuthEventSink {
  constructor(private readonly prisma: PrismaService) {}

  /** @param transaction that of `PrismaUserStore.transaction()`, for the event of a change */
  async keep(event: AuthEvent, transaction?: unknown): Promise<void> {
    const prisma = (transaction as Prisma.TransactionClient | undefined) ?? this.prisma;
    await prisma.auditEntry.create({ data: entryOf(event) });
  }

  async keepAll(events: readonly AuthEvent[]): Promise<void> {
    await this.prisma.auditEntry.createMany({ data: events.map(entryOf) });
  }
}
