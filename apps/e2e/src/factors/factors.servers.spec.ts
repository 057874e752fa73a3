import { describeFactorLogin } from './factors.suite.js';

describeFactorLogin({ database: 'postgres', platform: 'fastify', tokens: 'stateless sessions' });
describeFactorLogin({ database: 'mariadb', platform: 'express', tokens: 'jwt with refresh tokens' });
