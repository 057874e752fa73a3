import { createSecretKey } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { SECRET } from '../measure/tokens.js';
import { createApp, HelloController, type Peer, type Platform } from './peer.js';

/** `@nestjs/passport` and `passport-jwt`, as Nest's recipe has them. */
export async function passportJwt(platform: Platform, key: 'string' | 'KeyObject'): Promise<Peer> {
  @Injectable()
  class JwtStrategy extends PassportStrategy(Strategy) {
    constructor() {
      super({
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKey: key === 'string' ? SECRET : (createSecretKey(Buffer.from(SECRET)) as unknown as Buffer),
        algorithms: ['HS256'],
      });
    }

    validate(payload: { sub: string; username: string }) {
      return { userId: payload.sub, username: payload.username };
    }
  }

  @Module({
    imports: [PassportModule],
    controllers: [HelloController],
    providers: [JwtStrategy, { provide: APP_GUARD, useClass: AuthGuard('jwt') }],
  })
  class PassportApp {}
  return { app: await createApp(PassportApp, platform) };
}
