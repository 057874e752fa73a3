import { describeKeys } from './keys.suite.js';
import { describeKeysReset } from './reset.suite.js';

describeKeys(
  { database: 'postgres', platform: 'fastify', tokens: 'jwt with refresh tokens' },
  { many: 1000 },
);
describeKeys({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' }, { many: 1000 });
describeKeysReset({ database: 'postgres', platform: 'express', tokens: 'stateful sessions' }, { rounds: 10 });
describeKeysReset({ database: 'mariadb', platform: 'fastify', tokens: 'jwt' }, { rounds: 10 });
