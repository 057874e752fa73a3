import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { SERVERS } from 'test-support';
import { newRedisStore } from '../session/redis-store.js';
import { describeSocketEnds } from './ends.suite.js';

SERVERS.forEach((database, i) => {
  const where = { database, adapter: i === 0 ? 'ws' : 'socket.io' } as const;
  describeSocketEnds(`${database}, with ${where.adapter}`, () => ({
    ...where,
    session: { store: 'database' },
  }));
  describeSocketEnds(`the table of refresh tokens in ${database}, with ${where.adapter}`, () => ({
    ...where,
    platform: 'fastify',
    imports: [KitAuthRefreshModule],
  }));
});
describeSocketEnds('Redis, with ws', () => ({ session: { store: newRedisStore() } }));
