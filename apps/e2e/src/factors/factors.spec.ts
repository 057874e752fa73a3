import { type Place, sweepOf } from 'test-support';
import { describeFactorLogin } from './factors.suite.js';

const PLACES: readonly Place[] = [
  { database: 'sqlite', platform: 'express', tokens: 'stateful sessions' },
  { database: 'sqlite', platform: 'fastify', tokens: 'jwt' },
];
sweepOf(PLACES, PLACES.slice(0, 1)).forEach((place) => describeFactorLogin(place));
