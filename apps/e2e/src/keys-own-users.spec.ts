import { describeOwnUsersWithKeys } from './keys-own-users.suite.js';

describeOwnUsersWithKeys({ platform: 'express', database: 'sqlite' });
describeOwnUsersWithKeys({ platform: 'fastify', database: 'sqlite' });
