import { describeOwnUsersWithFactors } from './own-users.suite.js';

describeOwnUsersWithFactors({ platform: 'express', database: 'postgres' });
describeOwnUsersWithFactors({ platform: 'fastify', database: 'mariadb' });
