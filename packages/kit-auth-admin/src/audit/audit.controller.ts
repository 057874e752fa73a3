import { Get, Header, Query } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import type { Page, Query as QueryOf } from '../input/page.js';
import { type AuditEntry, AuditLog } from './audit.log.js';

@KitAuthController('audit')
export class KitAuthAuditController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @RequirePermissions('auth:audit:read')
  @Header('Cache-Control', 'no-store')
  find(@Query() query: QueryOf): Promise<Page<AuditEntry>> {
    return this.log.read(query);
  }
}
