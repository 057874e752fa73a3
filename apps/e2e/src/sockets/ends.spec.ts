import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { describeSocketEnds } from './ends.suite.js';

describeSocketEnds('memory, with ws', () => ({ provider: 'session' }));
describeSocketEnds('the table of refresh tokens, with socket.io', () => ({
  adapter: 'socket.io',
  platform: 'fastify',
  imports: [KitAuthRefreshModule],
}));
