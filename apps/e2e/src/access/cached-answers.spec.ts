import { describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { KitAuthSessionModule } from 'kit-auth-session';
import { of, tap } from 'rxjs';
import { BOTH, sharedTestApp } from 'test-support';

/** Stores answers as `CacheInterceptor` of `@nestjs/cache-manager` 3 does: by a key of the handler, or by URL. */
@Injectable()
class Cache implements NestInterceptor {
  private readonly answers = new Map<string, unknown>();

  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const key = this.keyOf(context);
    if (key === undefined) {
      return next.handle();
    }
    return this.answers.has(key)
      ? of(this.answers.get(key))
      : next.handle().pipe(tap((answer) => this.answers.set(key, answer)));
  }

  private keyOf(context: ExecutionContext): string | undefined {
    const key: unknown = this.reflector.get('cache_module:cache_key', context.getHandler());
    if (typeof key === 'function') {
      return key(context) as string | undefined;
    }
    const { method, url } = context.switchToHttp().getRequest<{ method: string; url: string }>();
    return method === 'GET' ? url : undefined;
  }
}

@Controller('v1/count')
class CountController {
  private count = 0;

  @Get()
  next() {
    return { count: ++this.count };
  }
}

describe.each(BOTH)('a cache of the application on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    provider: KitAuthSessionModule.forRoot({ store: 'memory' }),
    controllers: [CountController],
    providers: [{ provide: APP_INTERCEPTOR, useClass: Cache }],
  });

  it('does not store who a user is, or the sessions', async () => {
    await app.user({ username: 'ada' });
    await app.user({ username: 'bob' });
    for (const name of ['ada', 'bob']) {
      const token = await app.tokenOf(name);
      expect((await app.call(token, 'GET', 'me')).json.username).toBe(name);
      expect((await app.call(token, 'GET', 'sessions')).json).toMatchObject([{ current: true }]);
    }
  });

  it('stores answers of the application', async () => {
    const token = await app.tokenOf('ada');
    for (let i = 0; i < 2; i++) {
      expect((await app.request('/v1/count', { token })).json).toEqual({ count: 1 });
    }
  });
});
