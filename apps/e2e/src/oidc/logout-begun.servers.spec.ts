import { describeBegunLogouts } from './logout-begun.suite.js';

describeBegunLogouts({ database: 'postgres', platform: 'fastify', tokens: 'jwt with refresh tokens' });
describeBegunLogouts({ database: 'mariadb', platform: 'express', tokens: 'stateful sessions' });
