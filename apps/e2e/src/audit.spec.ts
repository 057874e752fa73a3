import { describeAudit } from './audit.suite.js';
import { sqliteInMemory } from './databases.js';

describeAudit({ name: 'SQLite', db: sqliteInMemory, platform: 'express', implementation: 'session' });
describeAudit({ name: 'SQLite', db: sqliteInMemory, platform: 'fastify', implementation: 'jwt' });
