import { optionsFor } from './instances.js';
import { describeJobsWithLogins } from './jobs-logins.suite.js';
import { newRedisStore } from './redis-store.js';

describeJobsWithLogins('sessions in Redis', () => ({ session: { store: newRedisStore() } }));
describeJobsWithLogins('sessions in PostgreSQL', () => ({ database: 'postgres', provider: 'session' }));
describeJobsWithLogins('refresh tokens in MariaDB', () => ({
  ...optionsFor('jwt with refresh tokens'),
  database: 'mariadb',
}));
