import { sqliteInMemory } from './databases.js';
import './remember-hashes.js';
import { describeSessions } from './session.suite.js';

describeSessions({ name: 'SQLite', db: sqliteInMemory, options: () => ({}) });
describeSessions({ name: 'memory', db: sqliteInMemory, options: () => ({ store: 'memory' }) });
