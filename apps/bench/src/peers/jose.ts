import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { jwtVerify } from 'jose';
import { ISSUER, KEY_PAIR } from '../measure/tokens.js';
import { createApp, HelloController, type Peer } from './peer.js';

/** The guard of Nest's documentation, with `jwtVerify` of `jose` and a key that was read once. */
@Injectable()
class JoseGuard implements CanActivate {
  private readonly key: KeyObject = createPublicKey(KEY_PAIR.key);

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: object }>();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || token === undefined) {
      throw new UnauthorizedException();
    }
    try {
      const { payload } = await jwtVerify(token, this.key, { algorithms: [KEY_PAIR.alg], issuer: ISSUER });
      request.user = payload;
    } catch {
      throw new UnauthorizedException();
    }
    return true;
  }
}

@Module({ controllers: [HelloController], providers: [{ provide: APP_GUARD, useClass: JoseGuard }] })
class JoseApp {}

export async function jose(): Promise<Peer> {
  return { app: await createApp(JoseApp, 'fastify') };
}
