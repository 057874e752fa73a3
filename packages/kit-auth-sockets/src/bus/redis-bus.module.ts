import { IllegalStateException } from 'kit-auth';
import { busFeature } from './bus.feature.js';
import { type KitAuthRedisBusOptions, redisBusOptions } from './redis-bus.options.js';
import { type RedisBusClient, wiresOf } from './redis.wire.js';
import type { Wire } from './server.bus.js';

const CONNECT_MS = 2000;

/**
 * Connects the instances of an application through Redis, so that a login that ends on one of them closes its sockets on
 * all. The application also starts and works without Redis. Then sockets are closed later, when they are checked again.
 *
 * Import it once, with `forRoot()` or `forRootAsync()`, or the class itself if the options are in the environment.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthSocketsModule,
 *     KitAuthRedisBusModule.forRoot({ url: process.env.REDIS_URL }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthRedisBusModule extends busFeature<KitAuthRedisBusOptions, typeof redisBusOptions>(
  'kit-auth-sockets/redis',
  'Redis',
  redisBusOptions,
  async ({ url, client }) => wiresOf(client ?? (await clientOfUrl(url as string))) as () => Wire,
) {}

/** Loaded only for a `url`: applications with `ioredis` do not have the package. */
async function clientOfUrl(url: string): Promise<RedisBusClient> {
  try {
    const { createClient } = await import('redis');
    return createClient({ url, socket: { connectTimeout: CONNECT_MS } });
  } catch (cause) {
    throw new IllegalStateException(
      'kit.auth.redisBus.url needs the package redis: npm install redis. ' +
        'Or pass a client of ioredis: kit.auth.redisBus.client.',
      { cause },
    );
  }
}
