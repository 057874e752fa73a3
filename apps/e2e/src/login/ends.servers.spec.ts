import { describeSessionEnds } from './ends.suite.js';
import { newRedisStore } from '../session/redis-store.js';

describeSessionEnds('PostgreSQL', () => ({}), 'postgres');
describeSessionEnds('MariaDB', () => ({}), 'mariadb');
describeSessionEnds('Redis', () => ({ store: newRedisStore() }));
