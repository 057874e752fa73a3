import { describeOwnUsersWithKeys } from './own-users.suite.js';

describeOwnUsersWithKeys({ platform: 'fastify', database: 'sqlite' });
