import { TypeOrmModule } from '@nestjs/typeorm';
import { authFeature } from 'kit-auth/feature';
import { AdminOptionsModule } from '../admin.options.js';
import { auditApi } from './audit.api.js';
import { AuditCleaner } from './audit.cleaner.js';
import { KitAuthAuditController } from './audit.controller.js';
import { AuditLog } from './audit.log.js';
import { AuthAudit } from './auth-audit.entity.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: without a data source, that would
// fail before `AuditLog` can report what is missing.
TypeOrmModule.forFeature([AuthAudit]);

/**
 * The audit log and its endpoint, for every user store. It needs a data source of TypeORM for the table `auth_audit`. Its
 * options are `admin` of `KitAuthModule`. `KitAuthAdminModule` includes it.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ users: MyUsersModule, admin: { auditRetentionDays: 90 } }),
 *     KitAuthSessionModule,
 *     KitAuthAuditModule,
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthAuditModule extends authFeature('kit-auth-admin', {
  endpoints: auditApi,
  imports: [AdminOptionsModule],
  controllers: [KitAuthAuditController],
  sinks: [AuditLog],
  providers: [AuditCleaner],
}) {}
