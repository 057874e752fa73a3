import { describeOwnUsersWithKeys } from './own-users.suite.js';

describeOwnUsersWithKeys({ platform: 'express', database: 'postgres' });
describeOwnUsersWithKeys({ platform: 'fastify', database: 'mariadb' });
