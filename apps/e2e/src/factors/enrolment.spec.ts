import { type Place, sweepOf } from 'test-support';
import { describeEnrolment } from './enrolment.suite.js';

const PLACES: readonly Place[] = [
  { database: 'sqlite', platform: 'fastify', tokens: 'jwt with refresh tokens' },
  { database: 'sqlite', platform: 'express', tokens: 'stateless sessions' },
];
sweepOf(PLACES, PLACES.slice(0, 1)).forEach((place) => describeEnrolment(place));
