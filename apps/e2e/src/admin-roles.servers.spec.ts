import { describeRoles } from './admin-roles.suite.js';
import { serverDatabases } from './databases.js';

for (const { name, options, recreate, drop } of serverDatabases('admin_roles')) {
  const setting = { name, db: () => options, before: recreate, after: drop };
  describeRoles({ ...setting, platform: 'express', implementation: 'session' });
}
