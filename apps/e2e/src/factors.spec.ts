import { describeEnrolment } from './factors-enrolment.suite.js';
import { describeFactorLogin } from './factors.suite.js';

describeFactorLogin({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
describeFactorLogin({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
describeEnrolment({ database: 'sqlite', platform: 'fastify', tokens: 'jwt with refresh tokens' });
describeEnrolment({ database: 'sqlite', platform: 'express', tokens: 'stateless sessions' });
