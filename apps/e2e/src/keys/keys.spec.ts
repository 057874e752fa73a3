import { type Place, sweepOf } from 'test-support';
import { describeKeys } from './keys.suite.js';
import { describeKeysReset } from './reset.suite.js';

const PLACES: readonly Place[] = [
  { database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' },
  { database: 'sqlite', platform: 'express', tokens: 'jwt' },
];
sweepOf(PLACES, PLACES.slice(0, 1)).forEach((place) => describeKeys(place));
describeKeysReset({ database: 'sqlite', platform: 'fastify', tokens: 'jwt' }, { rounds: 3 });
