import { SERVERS } from 'test-support';
import { describeNoPassword } from './no-password.suite.js';

for (const database of SERVERS) {
  describeNoPassword({ database, platform: 'express', provider: 'session' });
  describeNoPassword({ database, platform: 'fastify', provider: 'jwt' });
}
