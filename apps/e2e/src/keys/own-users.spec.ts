import { describeOwnUsersWithKeys } from './own-users.suite.js';

describeOwnUsersWithKeys({ platform: 'express', database: 'sqlite' });
describeOwnUsersWithKeys({ platform: 'fastify', database: 'sqlite' });
