import { describeOwnUsersWithPasskeys } from './passkeys-own-users.suite.js';

describeOwnUsersWithPasskeys({ platform: 'fastify', database: 'sqlite' });
