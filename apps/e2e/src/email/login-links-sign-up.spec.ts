import { IS_SWEEP } from 'test-support';
import { describeSignUp } from './login-links-sign-up.suite.js';

describeSignUp({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
if (IS_SWEEP) {
  describeSignUp({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
}
