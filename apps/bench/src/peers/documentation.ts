import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import type { Request } from 'express';
import { SECRET } from '../measure/tokens.js';
import { createApp, HelloController, type Peer, type Platform } from './peer.js';

const KEY = Symbol('the secret or the key');

/** Does what the guard of the chapter on authentication in Nest's documentation does. */
@Injectable()
class AuthGuard implements CanActivate {
  constructor(
    private readonly jwtService: JwtService,
    @Inject(KEY) private readonly secret: string | KeyObject,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: object }>();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || token === undefined) {
      throw new UnauthorizedException();
    }
    try {
      request.user = await this.jwtService.verifyAsync<object>(token, { secret: this.secret as string });
    } catch {
      throw new UnauthorizedException();
    }
    return true;
  }
}

/** @param key how the guard has its secret: `string`, as documented, or a `KeyObject` made once */
export async function documentation(platform: Platform, key: 'string' | 'KeyObject'): Promise<Peer> {
  @Module({
    imports: [JwtModule.register({ global: true })],
    controllers: [HelloController],
    providers: [
      { provide: KEY, useValue: key === 'string' ? SECRET : createSecretKey(Buffer.from(SECRET)) },
      { provide: APP_GUARD, useClass: AuthGuard },
    ],
  })
  class DocumentationApp {}
  return { app: await createApp(DocumentationApp, platform) };
}
