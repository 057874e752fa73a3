import { IS_SWEEP } from 'test-support';
import { describeLoginLinks } from './login-links.suite.js';

describeLoginLinks({ database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' });
if (IS_SWEEP) {
  describeLoginLinks({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
}
