import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { optionsFor } from 'test-support';
import { describeJobsWithLogins } from '../jobs/logins.suite.js';
import { describeSessionEnds } from '../login/ends.suite.js';
import { describeSocketEnds } from '../sockets/ends.suite.js';
import { describeTextIds, SECRET } from '../users/text-ids.suite.js';
import { newRedisStore } from './redis-store.js';
import { describeRevocation } from './revocation.suite.js';
import { describeSessions } from './session.suite.js';

const session = () => ({ store: newRedisStore() });

describeSessions({ name: 'Redis', database: 'sqlite', session });
describeRevocation({ name: 'Redis', database: 'sqlite', session });
describeSessionEnds('Redis', session);
describeTextIds('sessions in Redis', { ...session(), maxPerUser: 3 }, { database: false });
describeTextIds(
  'stateless sessions in Redis',
  { mode: 'stateless', secret: SECRET, ...session() },
  { database: false },
);
describeJobsWithLogins('sessions in Redis', () => ({ session: session() }));
describeJobsWithLogins('refresh tokens in MariaDB', () => ({
  ...optionsFor('jwt with refresh tokens'),
  database: 'mariadb',
}));
describeSocketEnds('Redis, with ws', () => ({ session: session() }));
describeSocketEnds('the table of refresh tokens in PostgreSQL, with socket.io', () => ({
  database: 'postgres',
  adapter: 'socket.io',
  platform: 'fastify',
  imports: [KitAuthRefreshModule],
}));
