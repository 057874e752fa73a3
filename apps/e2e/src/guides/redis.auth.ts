import { KitAuthModule } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { RedisSessionStore } from 'kit-auth-session/redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';
import { COUNTERS, REDIS, RedisModule } from './redis.module.js';

export const auth = KitAuthModule.forRootAsync({
  imports: [RedisModule],
  inject: [COUNTERS],
  useFactory: (storeClient: RedisClientType) => ({
    login: {
      throttle: {
        limiter: (options) => new RateLimiterRedis({ ...options, storeClient, useRedisPackage: true }),
      },
    },
  }),
});

export const sessions = KitAuthSessionModule.forRootAsync({
  imports: [RedisModule],
  inject: [REDIS],
  useFactory: (client: RedisClientType) => ({ store: new RedisSessionStore({ client }) }),
});
