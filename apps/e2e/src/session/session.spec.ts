import { describeSessions } from './session.suite.js';

describeSessions({ name: 'SQLite', database: 'sqlite' });
describeSessions({ name: 'memory', database: 'sqlite', session: () => ({ store: 'memory' }) });
