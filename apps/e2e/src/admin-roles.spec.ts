import { describeRoles } from './admin-roles.suite.js';

describeRoles({ database: 'sqlite', platform: 'express', provider: 'session' });
describeRoles({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });
