import { describeAudit } from './audit.suite.js';
import { serverDatabases } from './databases.js';

for (const { name, options, recreate, drop } of serverDatabases('audit')) {
  const setting = { name, db: () => options, before: recreate, after: drop };
  describeAudit({ ...setting, platform: 'express', implementation: 'jwt' });
  describeAudit({ ...setting, platform: 'fastify', implementation: 'session' });
}
