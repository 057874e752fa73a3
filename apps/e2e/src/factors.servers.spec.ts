import { describeEnrolment } from './factors-enrolment.suite.js';
import { describeFactorLogin } from './factors.suite.js';

describeFactorLogin({ database: 'postgres', platform: 'fastify', tokens: 'stateless sessions' });
describeFactorLogin({ database: 'mariadb', platform: 'express', tokens: 'jwt with refresh tokens' });
describeEnrolment({ database: 'postgres', platform: 'express', tokens: 'jwt' });
describeEnrolment({ database: 'mariadb', platform: 'fastify', tokens: 'stateful sessions' });
