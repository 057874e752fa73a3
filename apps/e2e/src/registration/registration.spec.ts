import { describeRegistration } from './registration.suite.js';

describeRegistration({ database: 'sqlite', provider: 'jwt', platform: 'express' });
describeRegistration({ database: 'sqlite', provider: 'session', platform: 'fastify' });
