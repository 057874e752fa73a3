import { IS_SWEEP } from 'test-support';
import { describeLoginLinks } from './login-links.suite.js';

describeLoginLinks({ database: 'sqlite', platform: 'express', provider: 'jwt' });
if (IS_SWEEP) {
  describeLoginLinks({ database: 'sqlite', platform: 'fastify', provider: 'session' });
}
