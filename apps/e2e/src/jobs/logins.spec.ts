import { optionsFor } from 'test-support';
import { describeJobsWithLogins } from './logins.suite.js';

describeJobsWithLogins('refresh tokens', () => optionsFor('jwt with refresh tokens'));
describeJobsWithLogins('sessions in a database', () => ({ platform: 'fastify', provider: 'session' }));
