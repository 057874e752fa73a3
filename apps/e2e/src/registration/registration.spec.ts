import { IS_SWEEP } from 'test-support';
import { describeRegistration } from './registration.suite.js';

describeRegistration({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
if (IS_SWEEP) {
  describeRegistration({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
}
