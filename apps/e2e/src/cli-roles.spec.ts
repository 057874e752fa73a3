import { describeRoleCommands } from './cli-roles.suite.js';

describeRoleCommands({ platform: 'express', provider: 'jwt', database: 'sqlite' });
describeRoleCommands({ platform: 'fastify', provider: 'session', database: 'sqlite' });
