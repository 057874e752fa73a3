import { describeEnrolment } from './enrolment.suite.js';

describeEnrolment({ database: 'postgres', platform: 'express', tokens: 'jwt' });
describeEnrolment({ database: 'mariadb', platform: 'fastify', tokens: 'stateful sessions' });
