import { describeKeys } from './keys.suite.js';
import { describeKeysReset } from './reset.suite.js';

describeKeys({ database: 'postgres', platform: 'fastify', tokens: 'jwt with refresh tokens' });
describeKeys({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' });
describeKeysReset({ database: 'postgres', platform: 'express', tokens: 'stateful sessions' }, { rounds: 10 });
describeKeysReset({ database: 'mariadb', platform: 'fastify', tokens: 'jwt' }, { rounds: 10 });
