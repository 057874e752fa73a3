import { describeOidc } from './oidc.suite.js';

describeOidc({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describeOidc({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' });
