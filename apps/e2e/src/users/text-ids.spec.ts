import { describe } from '@jest/globals';
import { BOTH, sweepOf } from 'test-support';
import { describeTextIds, SECRET } from './text-ids.suite.js';

describe.each(sweepOf(BOTH, ['fastify']))('on %s', (platform) => {
  describeTextIds('sessions in memory', { store: 'memory' }, { platform, database: false });
  describeTextIds('cached users', { store: 'memory', userCacheSeconds: 60 }, { platform, database: false });
  describeTextIds('sessions in SQLite', { maxPerUser: 3 }, { platform, database: 'sqlite' });
  describeTextIds(
    'stateless sessions in SQLite',
    { mode: 'stateless', secret: SECRET },
    { platform, database: 'sqlite' },
  );
});
