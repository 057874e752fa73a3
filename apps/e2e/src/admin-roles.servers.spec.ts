import { SERVERS } from 'test-support';
import { describeRoles } from './admin-roles.suite.js';

SERVERS.forEach((database) => describeRoles({ database, platform: 'express', provider: 'session' }));
