import { describeEnrolment } from './enrolment.suite.js';

describeEnrolment({ database: 'sqlite', platform: 'fastify', tokens: 'jwt with refresh tokens' });
describeEnrolment({ database: 'sqlite', platform: 'express', tokens: 'stateless sessions' });
