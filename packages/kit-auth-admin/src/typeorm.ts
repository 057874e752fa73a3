export { AuthAudit } from './audit/auth-audit.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './audit/kit-auth-admin.migrations.js';
