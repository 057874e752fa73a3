import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeSessionStore } from 'kit-auth-testing';
import { SERVERS } from 'test-support';
import { newRedisStore } from './redis-store.js';
import { describeDatabaseStore } from './session-stores.suite.js';

SERVERS.forEach(describeDatabaseStore);

describe('sessions in Redis', () => {
  const store = newRedisStore();
  beforeAll(() => store.open());
  afterAll(() => store.close());
  describeSessionStore('Redis', () => store);
});
