import { describeSessionEnds } from './login-ends.suite.js';
import { newRedisStore } from './redis-store.js';

describeSessionEnds('PostgreSQL', () => ({}), 'postgres');
describeSessionEnds('MariaDB', () => ({}), 'mariadb');
describeSessionEnds('Redis', () => ({ store: newRedisStore() }));
