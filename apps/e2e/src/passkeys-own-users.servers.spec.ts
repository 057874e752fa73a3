import { describeOwnUsersWithPasskeys } from './passkeys-own-users.suite.js';

describeOwnUsersWithPasskeys({ platform: 'express', database: 'postgres' });
describeOwnUsersWithPasskeys({ platform: 'fastify', database: 'mariadb' });
