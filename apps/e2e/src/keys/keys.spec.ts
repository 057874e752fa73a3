import { describeKeys } from './keys.suite.js';
import { describeKeysReset } from './reset.suite.js';

describeKeys({ database: 'sqlite', platform: 'express', tokens: 'jwt' }, { many: 1000 });
describeKeys({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' }, { many: 200 });
describeKeysReset({ database: 'sqlite', platform: 'fastify', tokens: 'jwt' }, { rounds: 3 });
