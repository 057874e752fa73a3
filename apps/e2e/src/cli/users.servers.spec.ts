import { SERVERS } from 'test-support';
import { describeUserCommands } from './users.suite.js';

for (const database of SERVERS) {
  describeUserCommands({ platform: 'express', provider: 'session', database });
}
