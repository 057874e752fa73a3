import { KitAuthSessionModule, type KitAuthSessionOptions } from 'kit-auth-session';
import { TOKENS } from '../measure/tokens.js';
import type { Database } from './databases.js';
import { logIn, rootModule } from './kit-auth.js';
import { createApp, type Peer } from './peer.js';

/** @param cached whether users are cached for a minute, rather than read on every request */
export async function kitAuthSession(
  store: 'memory' | 'database' | 'redis',
  { database = 'sqlite', cached = false }: { database?: Database; cached?: boolean } = {},
): Promise<Peer> {
  const options: KitAuthSessionOptions = {
    store: store === 'redis' ? await redisStore() : store,
    userCacheSeconds: cached ? 60 : 0,
  };
  const app = await createApp(rootModule(KitAuthSessionModule.forRoot(options), database), 'fastify');
  return { app, logIn: () => logIn(app, TOKENS) };
}

async function redisStore() {
  const { RedisSessionStore } = await import('kit-auth-session/redis');
  return new RedisSessionStore({ url: process.env['BENCH_REDIS'] });
}
