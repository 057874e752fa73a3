import { SERVERS } from 'test-support';
import { describeLoginLinks } from './login-links.suite.js';

for (const database of SERVERS) {
  describeLoginLinks({ database, platform: 'express', provider: 'session' });
  describeLoginLinks({ database, platform: 'fastify', provider: 'jwt' });
}
