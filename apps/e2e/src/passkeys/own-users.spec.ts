import { describeOwnUsersWithPasskeys } from './own-users.suite.js';

describeOwnUsersWithPasskeys({ platform: 'fastify', database: 'sqlite' });
