/** @own-context because it replaces modules */
import { expect, it, jest } from '@jest/globals';

/** As where only ioredis is installed. */
jest.unstable_mockModule('redis', () => {
  throw Object.assign(new Error("Cannot find package 'redis'"), { code: 'ERR_MODULE_NOT_FOUND' });
});

const { IllegalStateException } = await import('kit-auth');
const { RedisSessionStore } = await import('kit-auth-session/redis');

it('names the cure for a url where the package redis is not installed', async () => {
  const store = new RedisSessionStore({ url: 'redis://user:hunter2@127.0.0.1' });
  const error: unknown = await store.open().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(IllegalStateException);
  expect((error as Error).message).toBe(
    'RedisSessionStore: the option url needs the package redis: npm install redis. ' +
      'Or pass a client of ioredis: new RedisSessionStore({ client: new Redis(url) })',
  );
  await store.close();
});

it('asks for open() before anything else', async () => {
  const store = new RedisSessionStore({ url: 'redis://127.0.0.1' });
  await expect(store.find('1.x')).rejects.toThrow('RedisSessionStore is not open: call its open() first.');
});
