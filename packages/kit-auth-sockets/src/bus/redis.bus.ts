import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { redisBusOptions, type ResolvedRedisBusOptions } from './redis-bus.options.js';
import { type RedisBusClient, wiresOf } from './redis.wire.js';
import { ServerBus } from './server.bus.js';
import type { Wire } from './wire.js';

const CONNECT_MS = 2000;

/** Publishes and subscribes in Redis. */
@Injectable()
export class RedisBus extends ServerBus {
  constructor(
    @Inject(redisBusOptions.token) private readonly options: ResolvedRedisBusOptions,
    @Inject(KIT_AUTH_SETTINGS) { enabled }: KitAuthSettings,
  ) {
    super('Redis', options.settings.channelPrefix, enabled && options.problems.length === 0);
  }

  protected override async prepare(): Promise<() => Wire> {
    const { url, client } = this.options.settings;
    return wiresOf(client ?? (await clientOfUrl(url as string))) as () => Wire;
  }
}

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
