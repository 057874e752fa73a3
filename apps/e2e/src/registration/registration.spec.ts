import { IS_SWEEP } from 'test-support';
import { describeRegistration } from './registration.suite.js';

describeRegistration({ database: 'sqlite', provider: 'jwt', platform: 'express' });
if (IS_SWEEP) {
  describeRegistration({ database: 'sqlite', provider: 'session', platform: 'fastify' });
}
