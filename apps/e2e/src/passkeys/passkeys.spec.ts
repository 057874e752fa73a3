import { type Place, sweepOf } from 'test-support';
import { describePasskeyAccounts } from './account.suite.js';
import { describePasskeysAsFactors } from './second-factor.suite.js';
import { describePasskeys } from './passkeys.suite.js';

const EXPRESS: Place = { database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' };
const FASTIFY: Place = { database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' };

sweepOf([EXPRESS, FASTIFY], [EXPRESS]).forEach((place) => describePasskeys(place));
sweepOf([EXPRESS, FASTIFY], [FASTIFY]).forEach((place) => describePasskeyAccounts(place));
sweepOf([EXPRESS, FASTIFY], [FASTIFY]).forEach((place) => describePasskeysAsFactors(place));
