import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import type { Page } from '../input/query.js';
import { auditApi } from './audit.api.js';
import { type AuditEntry, AuditLog } from './audit.log.js';

@KitAuthController()
export class KitAuthAuditController {
  constructor(private readonly log: AuditLog) {}

  @Endpoint(auditApi, 'GET audit')
  find({ query }: Call<typeof auditApi, 'GET audit'>): Promise<Page<AuditEntry>> {
    return this.log.read(query);
  }
}
