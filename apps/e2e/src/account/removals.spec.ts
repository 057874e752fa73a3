import { describeActors, describeOwnRemovals, describeRemovals } from './removals.suite.js';

describeRemovals({ database: 'sqlite', platform: 'fastify', tokens: 'jwt' });
describeRemovals({ database: 'sqlite', platform: 'express', tokens: 'stateful sessions' });
describeActors({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
describeOwnRemovals({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
