import { RedisSessionStore } from 'kit-auth-session/redis';

/** On this machine's Redis, with keys of its own. */
export function newRedisStore(): RedisSessionStore {
  return new RedisSessionStore({
    url: 'redis://127.0.0.1:6379',
    keyPrefix: `kit-auth-test-${process.pid}-${Math.random()}:`,
  });
}
