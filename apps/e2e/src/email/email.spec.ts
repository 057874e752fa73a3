import { TOKENS, sweepOf } from 'test-support';
import { describeAddresses } from './address.suite.js';
import { describeReset } from './reset.suite.js';

const sqlite = { database: 'sqlite', platform: 'express' } as const;
sweepOf(TOKENS, ['jwt with refresh tokens']).forEach((tokens) => describeReset({ ...sqlite, tokens }));
describeAddresses({ ...sqlite, tokens: 'stateful sessions' });
