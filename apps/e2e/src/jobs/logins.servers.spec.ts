import { optionsFor } from 'test-support';
import { describeJobsWithLogins } from './logins.suite.js';
import { newRedisStore } from '../session/redis-store.js';

describeJobsWithLogins('sessions in Redis', () => ({ session: { store: newRedisStore() } }));
describeJobsWithLogins('sessions in PostgreSQL', () => ({ database: 'postgres', provider: 'session' }));
describeJobsWithLogins('refresh tokens in MariaDB', () => ({
  ...optionsFor('jwt with refresh tokens'),
  database: 'mariadb',
}));
