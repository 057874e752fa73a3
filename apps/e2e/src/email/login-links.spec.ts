import { describeLoginLinks } from './login-links.suite.js';

describeLoginLinks({ database: 'sqlite', platform: 'express', provider: 'jwt' });
describeLoginLinks({ database: 'sqlite', platform: 'fastify', provider: 'session' });
