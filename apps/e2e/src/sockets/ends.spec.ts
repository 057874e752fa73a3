import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { describeSocketEnds } from './ends.suite.js';

describeSocketEnds('memory, with ws', () => ({ provider: 'session' }));
describeSocketEnds('SQLite, with socket.io', () => ({
  adapter: 'socket.io',
  platform: 'fastify',
  session: { store: 'database' },
}));
describeSocketEnds('the table of refresh tokens, with ws', () => ({ imports: [KitAuthRefreshModule] }));
