import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePorts, RedisServer, testApp } from 'test-support';
import { auth, sessions } from './redis.auth.js';
import { REDIS } from './redis.module.js';

let server: RedisServer;
beforeAll(async () => {
  server = new RedisServer((await freePorts(1))[0]!);
  await server.start();
  process.env['REDIS_URL'] = `redis://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  delete process.env['REDIS_URL'];
  await server.dispose();
});

it('guides/redis.md: clients of a module keep sessions and counters', async () => {
  const app = await testApp({ core: auth, provider: sessions });
  expect((await app.login('admin', 'wrong')).status).toBe(401);
  const token = await app.adminToken();
  const keys = await app.get<{ keys(pattern: string): Promise<string[]> }>(REDIS).keys('*');
  expect(keys.filter((key) => key.startsWith('kit-auth:login:'))).not.toEqual([]);
  expect(keys.filter((key) => key.includes('{'))).toHaveLength(2);
  expect((await app.call(token, 'POST', 'logout')).status).toBe(204);
  expect(await app.stateOf(token)).toBe('40101 logged-out');
});
