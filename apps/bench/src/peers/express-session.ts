import { createHmac, randomUUID } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RedisStore } from 'connect-redis';
import type { Request } from 'express';
import session, { type SessionData } from 'express-session';
import { createClient } from 'redis';
import { SECRET, TOKENS } from '../measure/tokens.js';
import { createApp, HelloController, type Peer } from './peer.js';

@Injectable()
class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { session } = context.switchToHttp().getRequest<Request & { session: { user?: object } }>();
    if (session.user === undefined) {
      throw new UnauthorizedException();
    }
    return true;
  }
}

@Module({ controllers: [HelloController], providers: [{ provide: APP_GUARD, useClass: SessionGuard }] })
class ExpressSessionApp {}

/** `express-session` over `connect-redis`. */
export async function expressSession(): Promise<Peer> {
  const redis = createClient({ url: process.env['BENCH_REDIS'] as string });
  await redis.connect();
  const store = new RedisStore({ client: redis });
  const app = await createApp(ExpressSessionApp, 'express');
  app.use(session({ store, secret: SECRET, resave: false, saveUninitialized: false }));
  return {
    app,
    logIn: () =>
      Promise.all(
        Array.from({ length: TOKENS }, async (_, number) => {
          const id = randomUUID();
          const user = { userId: number + 1, username: `user-${number + 1}`, roles: ['editor'] };
          await store.set(id, { cookie: { originalMaxAge: null }, user } as unknown as SessionData);
          const signature = createHmac('sha256', SECRET).update(id).digest('base64').replace(/=+$/, '');
          return `Cookie: connect.sid=${encodeURIComponent(`s:${id}.${signature}`)}`;
        }),
      ),
  };
}
