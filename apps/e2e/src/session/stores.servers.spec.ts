import { afterAll, beforeAll, describe } from '@jest/globals';
import type { RedisSessionStore } from 'kit-auth-session/redis';
import { describeSessionStore } from 'kit-auth-testing';
import { CLIENTS, type GivenClient, newRedisStore, POOLS } from './redis-store.js';

describe.each(Object.entries({ ...CLIENTS, ...POOLS }))('sessions in Redis, with %s', (name, connect) => {
  let given: GivenClient;
  let store: RedisSessionStore;
  beforeAll(async () => {
    given = await connect('redis://127.0.0.1:6379');
    store = newRedisStore(given.options);
    await store.open();
  });
  afterAll(async () => {
    await store.close();
    given.close();
  });
  describeSessionStore(`Redis, with ${name}`, () => store);
});
