import { afterAll, beforeAll, describe } from '@jest/globals';
import { RedisSessionStore } from 'kit-auth-session/redis';
import { describeSessionStore } from 'kit-auth-testing';
import { serverDatabases } from './databases.js';
import { describeDatabaseStore } from './session-stores.suite.js';

serverDatabases('sessions').forEach(describeDatabaseStore);

describe('sessions in Redis', () => {
  const store = new RedisSessionStore({ url: 'redis://127.0.0.1:6379', keyPrefix: 'kit-auth-test:' });
  beforeAll(() => store.open());
  afterAll(() => store.close());
  describeSessionStore('Redis', () => store);
});
