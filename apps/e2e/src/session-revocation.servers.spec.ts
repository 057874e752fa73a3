import { RedisSessionStore } from 'kit-auth-session/redis';
import { serverDatabases, sqliteInMemory } from './databases.js';
import { describeRevocation } from './session-revocation.suite.js';

for (const { name, options, recreate, drop } of serverDatabases('revocation')) {
  describeRevocation({ name, db: () => options, options: () => ({}), before: recreate, after: drop });
}

describeRevocation({
  name: 'Redis',
  db: sqliteInMemory,
  options: () => ({
    store: new RedisSessionStore({
      url: 'redis://127.0.0.1:6379',
      keyPrefix: `kit-auth-test-${process.pid}-${Math.random()}:`,
    }),
  }),
});
