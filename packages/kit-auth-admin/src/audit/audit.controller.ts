import { Get, Header, Query } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import type { Page, Query as QueryOf } from '../input/page.js';
import { AuditLog } from './audit.log.js';
import type { AuthAudit } from './auth-audit.entity.js';

@KitAuthController('audit')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @RequirePermissions('auth:audit:read')
  @Header('Cache-Control', 'no-store')
  find(@Query() query: QueryOf): Promise<Page<AuthAudit>> {
    return this.log.read(query);
  }
}
