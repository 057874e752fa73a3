import { describeOwnUsersWithPasskeys } from './own-users.suite.js';

describeOwnUsersWithPasskeys({ platform: 'express', database: 'postgres' });
describeOwnUsersWithPasskeys({ platform: 'fastify', database: 'mariadb' });
