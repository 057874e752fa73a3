import { describeLinkedUsers } from './linked.suite.js';

describeLinkedUsers({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
describeLinkedUsers({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
