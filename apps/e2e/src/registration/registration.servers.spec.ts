import { describeRegistration } from './registration.suite.js';

describeRegistration({ database: 'postgres', provider: 'session', platform: 'express' });
describeRegistration({ database: 'mariadb', provider: 'jwt', platform: 'fastify' });
