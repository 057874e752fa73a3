import { SERVERS } from 'test-support';
import { newRedisStore } from './redis-store.js';
import { describeSessions } from './session.suite.js';

SERVERS.forEach((database) => describeSessions({ name: database, database }));
describeSessions({ name: 'Redis', database: 'sqlite', session: () => ({ store: newRedisStore() }) });
