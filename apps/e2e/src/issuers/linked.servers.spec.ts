import { describeLinkedUsers } from './linked.suite.js';

describeLinkedUsers({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describeLinkedUsers({ database: 'mariadb', platform: 'express', tokens: 'stateful sessions' });
