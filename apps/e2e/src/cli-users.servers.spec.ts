import { SERVERS } from 'test-support';
import { describeUserCommands } from './cli-users.suite.js';

for (const database of SERVERS) {
  describeUserCommands({ platform: 'express', provider: 'session', database });
}
