import { describeTexts } from './admin-texts.suite.js';
import { serverDatabases } from './databases.js';

for (const { name, options, recreate, drop } of serverDatabases('admin_texts')) {
  const setting = { name, db: () => options, before: recreate, after: drop };
  describeTexts({ ...setting, platform: 'fastify', implementation: 'session' });
}
