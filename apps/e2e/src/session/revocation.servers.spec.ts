import { SERVERS } from 'test-support';
import { newRedisStore } from './redis-store.js';
import { describeRevocation } from './revocation.suite.js';

SERVERS.forEach((database) => describeRevocation({ name: database, database }));
describeRevocation({ name: 'Redis', database: 'sqlite', session: () => ({ store: newRedisStore() }) });
