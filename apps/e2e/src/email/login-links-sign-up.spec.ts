import { describeSignUp } from './login-links-sign-up.suite.js';

describeSignUp({ database: 'sqlite', platform: 'express', provider: 'session' });
describeSignUp({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });
