import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createClient, type RedisClientType } from 'redis';

export const REDIS = Symbol('REDIS'); // sessions, and other data of the application
export const COUNTERS = Symbol('COUNTERS');

@Module({
  providers: [
    {
      provide: REDIS,
      useFactory: () => clientOf({ commandOptions: { timeout: 0 } }).connect(),
    },
    {
      provide: COUNTERS,
      useFactory: () => {
        const client = clientOf({ pingInterval: 250, socket: { socketTimeout: 800, reconnectStrategy } });
        void client.connect().catch(() => undefined); // it goes on trying
        return client;
      },
    },
  ],
  exports: [REDIS, COUNTERS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClientType,
    @Inject(COUNTERS) private readonly counters: RedisClientType,
  ) {}

  onApplicationShutdown() {
    this.redis.destroy();
    this.counters.destroy();
  }
}

function clientOf(options: Parameters<typeof createClient>[0]) {
  const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
  return createClient({ url, disableOfflineQueue: true, ...options }).on('error', () => undefined);
}

const reconnectStrategy = (retries: number) => Math.min(50 * 2 ** retries, 1000);
