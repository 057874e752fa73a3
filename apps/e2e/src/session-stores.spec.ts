import { MemorySessionStore } from 'kit-auth-session';
import { describeSessionStore } from 'kit-auth-testing';
import { describeDatabaseStore } from './session-stores.suite.js';

const memory = new MemorySessionStore();
describeSessionStore('memory', () => memory);

describeDatabaseStore({
  name: 'SQLite',
  options: { type: 'better-sqlite3', database: ':memory:', synchronize: true },
  recreate: async () => undefined,
  drop: async () => undefined,
});
