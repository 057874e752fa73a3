import { BOTH, IS_SWEEP } from 'test-support';
import { describeSessions } from './session.suite.js';

describeSessions({ name: 'SQLite', database: 'sqlite' });
describeSessions(
  { name: 'memory', database: 'sqlite', session: () => ({ store: 'memory' }) },
  IS_SWEEP ? BOTH : ['fastify'],
);
