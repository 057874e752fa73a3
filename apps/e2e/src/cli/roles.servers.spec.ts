import { SERVERS } from 'test-support';
import { describeRoleCommands } from './roles.suite.js';

for (const database of SERVERS) {
  describeRoleCommands({ platform: 'express', provider: 'session', database });
}
