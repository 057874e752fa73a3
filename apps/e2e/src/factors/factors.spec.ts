import { describeFactorLogin } from './factors.suite.js';

describeFactorLogin({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
describeFactorLogin({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
