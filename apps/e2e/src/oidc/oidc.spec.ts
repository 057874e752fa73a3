import { describeOidc } from './oidc.suite.js';

describeOidc({ database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' });
describeOidc({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
