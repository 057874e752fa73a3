import { describe } from '@jest/globals';
import { SERVERS } from 'test-support';
import { newRedisStore } from '../session/redis-store.js';
import { describeTextIds, SECRET } from './text-ids.suite.js';

describe.each(SERVERS)('on %s', (database) => {
  describeTextIds('sessions', { maxPerUser: 3 }, { database });
  describeTextIds('stateless sessions', { mode: 'stateless', secret: SECRET }, { database });
});

describeTextIds('sessions in Redis', { store: newRedisStore(), maxPerUser: 3 }, { database: false });
describeTextIds(
  'stateless sessions in Redis',
  { mode: 'stateless', secret: SECRET, store: newRedisStore() },
  { database: false },
);
