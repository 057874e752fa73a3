import { describeSignUp } from './login-links-sign-up.suite.js';

describeSignUp({ database: 'postgres', platform: 'fastify', provider: 'session' });
describeSignUp({ database: 'mariadb', platform: 'express', provider: 'jwt' });
