import { describeUserCommands } from './users.suite.js';

describeUserCommands({ platform: 'express', provider: 'jwt', database: 'sqlite' });
describeUserCommands({ platform: 'fastify', provider: 'session', database: 'sqlite' });
