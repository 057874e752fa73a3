import { describeRoleCommands } from './roles.suite.js';

describeRoleCommands({ platform: 'express', provider: 'jwt', database: 'sqlite' });
describeRoleCommands({ platform: 'fastify', provider: 'session', database: 'sqlite' });
