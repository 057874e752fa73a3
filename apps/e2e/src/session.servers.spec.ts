import { RedisSessionStore } from 'kit-auth-session/redis';
import { serverDatabases, sqliteInMemory } from './databases.js';
import { describeSessions } from './session.suite.js';

for (const { name, options, recreate, drop } of serverDatabases('session')) {
  describeSessions({ name, db: () => options, options: () => ({}), before: recreate, after: drop });
}

describeSessions({
  name: 'Redis',
  db: sqliteInMemory,
  options: () => ({
    store: new RedisSessionStore({
      url: 'redis://127.0.0.1:6379',
      keyPrefix: `kit-auth-test-${process.pid}-${Math.random()}:`,
    }),
  }),
});
