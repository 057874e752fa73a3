import { randomBytes } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  type OnApplicationShutdown,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { createClient } from 'redis';
import { bearer, TOKENS } from '../measure/tokens.js';
import { createApp, HelloController, type Peer } from './peer.js';

const redis = createClient({ url: process.env['BENCH_REDIS'] as string });

/** A guard as many write it: the token is the key, the value is the user. */
@Injectable()
class RedisGuard implements CanActivate, OnApplicationShutdown {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: unknown }>();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    const value = type === 'Bearer' ? await redis.get(`session:${token}`) : null;
    if (value === null) {
      throw new UnauthorizedException();
    }
    request.user = JSON.parse(value) as object;
    return true;
  }

  async onApplicationShutdown(): Promise<void> {
    await redis.close();
  }
}

@Module({ controllers: [HelloController], providers: [{ provide: APP_GUARD, useClass: RedisGuard }] })
class RedisGuardApp {}

export async function redisGuard(): Promise<Peer> {
  await redis.connect();
  return {
    app: await createApp(RedisGuardApp, 'fastify'),
    logIn: () =>
      Promise.all(
        Array.from({ length: TOKENS }, async (_, number) => {
          const token = randomBytes(32).toString('base64url');
          const user = { userId: number + 1, username: `user-${number + 1}`, roles: ['editor'] };
          await redis.set(`session:${token}`, JSON.stringify(user), {
            expiration: { type: 'EX', value: 3600 },
          });
          return bearer(token);
        }),
      ),
  };
}
