import { setImmediate as tick } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Param, Post, Query, Req, type Type } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { documentKitAuth } from 'kit-auth/openapi';
import {
  AuthErrorCode,
  AuthException,
  CurrentUser,
  IllegalStateException,
  KitAuthContext,
  type KitAuthOptions,
  type LoginUser,
  OptionalUser,
  Public,
  RequirePermissions,
  RequireRoles,
  RouteAccessReport,
} from 'kit-auth';
import { AllowKeys } from 'kit-auth-keys';
import { expectAccess } from 'kit-auth-testing';
import { BOTH, EVERYWHERE, sharedTestApp, type TestApp, testApp } from 'test-support';
import { BrowserApp, OWN_PAGE } from '../browser/app.js';
import { KeysApp } from '../keys/app.js';

const seen = (user: LoginUser | undefined) => ({ user: user?.username ?? null });

@Controller('v1/articles')
@OptionalUser()
class ArticlesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  list(@CurrentUser() user?: LoginUser) {
    return { ...seen(user), scheme: this.context.principal()?.scheme ?? null };
  }

  @Post()
  suggest(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }

  @Get('news')
  @OptionalUser({ invalid: 'anonymous' })
  news(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }

  @Get('about')
  @Public()
  about(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }

  @Get('drafts')
  @RequireRoles('editor')
  drafts() {
    return 'drafts';
  }

  @Get('own')
  @Public(false)
  own() {
    return 'own';
  }

  @Get('required')
  required() {
    return this.context.getOrThrow();
  }

  @Get('keys')
  @AllowKeys()
  keys(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
}

/** With patterns instead of decorators. */
@Controller()
class CatalogController {
  @Get('v1/catalog/:id/prices')
  @Public(false)
  prices() {
    return 'prices';
  }

  @Get(['v1/catalog', 'v1/catalog/:id', 'catalog'])
  get(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
}

const CONTROLLERS = [ArticlesController, CatalogController];

describe.each(EVERYWHERE)('@OptionalUser() on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers: CONTROLLERS });
  let token: string;
  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });

  it('has no user without a token', async () => {
    const { status, json, headers } = await app.request('/v1/articles');
    expect([status, json]).toEqual([200, { user: null, scheme: null }]);
    expect(headers).toMatchObject({ vary: 'Authorization' });
    expect(headers['cache-control']).toBeUndefined();
    for (const other of ['Authorization: Basic YTpi', 'Authorization: Bearer', 'X-Other: 1']) {
      expect((await app.request('/v1/articles', { headers: [other] })).json.user).toBeNull();
    }
  });

  it('has the user of a valid token, and keeps the answer from shared caches', async () => {
    const { status, json, headers } = await app.request('/v1/articles', { token });
    expect([status, json.user]).toEqual([200, 'ada']);
    expect(json.scheme).toBe(where.provider === 'jwt' ? 'jwt-stateless' : 'session-token');
    expect(headers).toMatchObject({ vary: 'Authorization', 'cache-control': 'private' });
    expect((await app.request('/v1/articles', { token, method: 'POST' })).json).toEqual({ user: 'ada' });
  });

  it('refuses an invalid token, so that clients refresh it', async () => {
    const { status, json, headers } = await app.request('/v1/articles', { token: `${token}x` });
    expect([status, json.code]).toEqual([401, 40101]);
    expect(headers).toMatchObject({ vary: 'Authorization', 'cache-control': 'no-store' });
    const twice = [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`];
    expect((await app.request('/v1/articles', { headers: twice })).json).toMatchObject({
      code: 40101,
      reason: 'malformed',
    });
  });

  it('ignores an invalid token where the route says so', async () => {
    const news = '/v1/articles/news';
    expect((await app.request(news, { token })).json).toEqual({ user: 'ada' });
    expect((await app.request(news, { token: `${token}x` })).json).toEqual({ user: null });
    const twice = [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`];
    expect((await app.request(news, { headers: twice })).json).toEqual({ user: null });
  });

  it('gives way to the decorators of a method', async () => {
    expect(await app.codeOf(undefined, '/v1/articles/drafts')).toBe(40100);
    expect(await app.codeOf(token, '/v1/articles/drafts')).toBe(40300);
    expect(await app.codeOf(undefined, '/v1/articles/own')).toBe(40100);
    expect((await app.request('/v1/articles/about', { token })).json).toEqual({ user: null });
  });

  it('answers like a protected route where a service needs the user', async () => {
    const { json } = await app.request('/v1/articles/required');
    expect(json).toEqual((await app.request('/v1/articles/own')).json);
    expect((await app.request('/v1/articles/required', { token })).json).toMatchObject({ username: 'ada' });
  });

  it('refuses users whom protected routes refuse', async () => {
    const user = await app.user({ mustChangePassword: true });
    const pending = await app.tokenOf(user);
    expect(await app.codeOf(pending, '/v1/articles')).toBe(40301);
    expect(await app.codeOf(pending, '/v1/articles/news')).toBe(40301);
  });
});

const codesOf = async (app: TestApp, token?: string, paths = ['/v1/catalog', '/v1/catalog/7', '/catalog']) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, json } = await app.request(path, { token });
      return json?.code ?? json?.user ?? status;
    }),
  );

describe.each(BOTH)('patterns of kit.auth.optional on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    options: { optional: ['/v1/catalog/*', '/catalog'] },
    controllers: CONTROLLERS,
  });

  it('open the routes that they cover, and read their tokens', async () => {
    expect(await codesOf(app)).toEqual([40100, 200, 200]);
    expect(await codesOf(app, await app.adminToken())).toEqual(['admin', 'admin', 'admin']);
    expect(await codesOf(app, 'wrong')).toEqual([40101, 40101, 40101]);
  });

  it('open no irregular path', async () => {
    const paths = ['/v1/catalog/..%2fadmin', '/v1/catalog/a;b', '/v1/catalog/a%23b'];
    expect(await codesOf(app, undefined, paths)).toEqual([40100, 40100, 40100]);
    expect(await codesOf(app, await app.adminToken(), paths)).toEqual(['admin', 'admin', 'admin']);
  });
});

describe('patterns of kit.auth.optional', () => {
  const boot = (options: KitAuthOptions) => testApp({ options, controllers: CONTROLLERS });

  it.each(['decorated', undefined] as const)(
    'leave what a decorator protects (protect: %s)',
    async (protect) => {
      const app = await boot({ optional: ['/v1/catalog/**'], ...(protect && { protect }) });
      expect(await codesOf(app, undefined, ['/v1/catalog/7/prices', '/v1/catalog/7'])).toEqual([40100, 200]);
    },
  );

  it('leave the endpoints of kit-auth alone, and what decorators and the white-list decide', async () => {
    const app = await boot({ optional: ['/**'], whiteList: ['/v1/catalog'] });
    expect(await codesOf(app, undefined, ['/v1/api/auth/me', '/v1/articles/drafts'])).toEqual([40100, 40100]);
    expect(await codesOf(app, 'wrong')).toEqual([200, 40101, 40101]);
  });

  it("read tokens where protect is 'decorated', too", async () => {
    const app = await boot({ protect: 'decorated', optional: ['/v1/**'], whiteList: ['/v1/catalog/7'] });
    expect(await codesOf(app)).toEqual([200, 200, 200]);
    expect(await codesOf(app, await app.adminToken())).toEqual(['admin', 'admin', 200]);
  });
});

describe.each(BOTH)('an optional user with cookies on %s', (platform) => {
  @Controller('v1/offers')
  class OffersController {
    @Get()
    @OptionalUser()
    list(@CurrentUser() user?: LoginUser) {
      return seen(user);
    }

    @Post()
    @OptionalUser({ invalid: 'anonymous' })
    ask(@CurrentUser() user?: LoginUser) {
      return seen(user);
    }
  }
  class OffersModule {}
  const app = sharedTestApp(
    new BrowserApp({}, { platform, imports: [{ module: OffersModule, controllers: [OffersController] }] }),
  );

  it('comes from the cookie, by the origin rule of protected routes', async () => {
    const cookie = `Cookie: ${await app.cookieOf(await app.user({ username: 'ada' }))}`;
    const { json, headers } = await app.request('/v1/offers', { headers: [cookie] });
    expect(json).toEqual({ user: 'ada' });
    expect(headers).toMatchObject({ vary: 'Authorization, Cookie', 'cache-control': 'private' });
    expect((await app.request('/v1/offers')).headers).toMatchObject({ vary: 'Authorization, Cookie' });

    const post = (...lines: string[]) => app.request('/v1/offers', { method: 'POST', headers: lines });
    expect((await post(cookie, OWN_PAGE)).json).toEqual({ user: 'ada' });
    expect((await post(cookie, 'Sec-Fetch-Site: cross-site')).json).toMatchObject({ code: 40302 });
    expect((await post('Sec-Fetch-Site: cross-site')).json).toEqual({ user: null });
  });
});

describe('an API key', () => {
  it('counts on optional routes that admit keys', async () => {
    class Articles {}
    const app = await new KeysApp({
      imports: [{ module: Articles, controllers: [ArticlesController] }],
    }).start();
    const { key } = await app.newKey(await app.adminToken());
    expect((await app.request('/v1/articles/keys', { token: key })).json).toEqual({ user: 'admin' });
    expect(await app.codeOf(key, '/v1/articles')).toBe(40304);
    expect(await app.codeOf(`${key}x`, '/v1/articles/keys')).toBe(40101);
  });
});

describe('resolvers of GraphQL', () => {
  class Resolver {
    constructor(private readonly context: KitAuthContext) {}
    @OptionalUser()
    articles() {
      return this.context.get()?.username ?? 'nobody';
    }
    @OptionalUser({ invalid: 'anonymous' })
    news() {
      return this.articles();
    }
  }
  /** Stands for a GraphQL server, which calls resolvers like this. */
  @Controller('v1/graphql')
  @Public()
  class GraphController {
    private readonly resolver: Resolver;
    constructor(
      private readonly contexts: ExternalContextCreator,
      context: KitAuthContext,
    ) {
      this.resolver = new Resolver(context);
    }
    private resolve(method: 'articles' | 'news', req: object) {
      const handler = Reflect.get(this.resolver, method) as () => unknown;
      const args = [this.resolver, handler, method, '', undefined, undefined, undefined] as const;
      return this.contexts.create(...args, undefined, 'graphql')(undefined, {}, { req });
    }
    @Get()
    async articles(@Req() { url, rawHeaders }: any) {
      return Promise.all([1, 2].map(() => this.resolve('articles', { url, rawHeaders })));
    }
    @Get('long')
    async long(@Req() { url, rawHeaders }: any) {
      const wrong = ['Authorization', 'Bearer wrong'];
      return [
        await this.resolve('news', { url, rawHeaders }),
        await this.resolve('news', { url, rawHeaders: wrong }),
      ];
    }
  }
  const app = sharedTestApp({ controllers: [GraphController] });

  it('have an optional user', async () => {
    const anonymous = await app.request('/v1/graphql');
    expect([anonymous.json, anonymous.headers['vary']]).toEqual([['nobody', 'nobody'], 'Authorization']);
    const token = await app.adminToken();
    expect((await app.request('/v1/graphql', { token })).json).toEqual(['admin', 'admin']);
    expect(await app.codeOf('wrong', '/v1/graphql')).toBe(40101);
  });

  it('have none once the token of a long operation is invalid', async () => {
    const token = await app.adminToken();
    expect((await app.request('/v1/graphql/long', { token })).json).toEqual(['admin', 'nobody']);
  });
});

describe('a request that goes on in the context of another one', () => {
  it('does not become its user', async () => {
    const waiting: (() => void)[] = [];
    @Controller('v1/contexts')
    class ContextsController {
      constructor(private readonly context: KitAuthContext) {}

      @Get('first')
      first() {
        waiting.pop()?.();
        return seen(this.context.get());
      }

      @Get('optional')
      @OptionalUser()
      optional() {
        return seen(this.context.get());
      }

      @Get('protected')
      protected() {
        return seen(this.context.get());
      }
    }
    const app = await testApp({
      controllers: [ContextsController],
      // Runs after the context was opened, as middleware of modules does.
      configure: (nest) => {
        const { routesResolver } = nest as unknown as {
          routesResolver: { resolve(...args: unknown[]): void };
        };
        const resolve = routesResolver.resolve.bind(routesResolver);
        routesResolver.resolve = (...args) => {
          nest.use('/v1/contexts', (request: { url: string }, _response: unknown, next: () => void) =>
            request.url === '/first' ? next() : waiting.push(next),
          );
          resolve(...args);
        };
      },
    });
    const ada = await app.tokenOf(await app.user({ username: 'ada' }));
    const admin = await app.adminToken();
    for (const [path, token] of [
      ['optional', undefined],
      ['optional', ada],
      ['protected', ada],
    ] as const) {
      const second = app.request(`/v1/contexts/${path}`, { token });
      while (waiting.length === 0) {
        await tick();
      }
      const first = await app.request('/v1/contexts/first', { token: admin });
      expect([first.json, (await second).status]).toEqual([{ user: 'admin' }, 500]);
    }
  });
});

describe('what is known of an optional user', () => {
  const app = sharedTestApp({ options: { optional: ['/catalog'] }, controllers: CONTROLLERS });

  it('is in the route report', () => {
    const routes = app.get(RouteAccessReport).routes();
    const of = (path: string) => routes.find((route) => route.path === path);
    expect(of('/v1/articles')).toMatchObject({
      decision: 'open by @OptionalUser',
      invalid: 'refuse',
      explicit: true,
    });
    expect(of('/v1/articles/news')).toMatchObject({ invalid: 'anonymous' });
    expect(of('/catalog')).toMatchObject({ decision: 'open by optional path', pattern: '/catalog' });
  });

  it('is in OpenAPI documents', () => {
    const document = { paths: { '/v1/articles': { get: {} }, '/v1/articles/about': { get: {} } } };
    expect(documentKitAuth(document, app.nest)).toMatchObject({
      paths: {
        '/v1/articles': { get: { security: [{}, { bearer: [] }] } },
        '/v1/articles/about': { get: { security: [] } },
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it('can be asserted in tests', () => {
    const access = expectAccess(app.nest);
    access.of('GET /v1/articles').hasOptionalUser().isPublic().allows({});
    access.of('GET /v1/articles').denies({ mustChangePassword: true });
    access.of('GET /catalog').hasOptionalUser();
    expect(() => access.of('GET /v1/articles/about').hasOptionalUser()).toThrow(
      'GET /v1/articles/about should have an optional user, but does not.',
    );
  });

  it('causes no warning', () => {
    expect(app.logs.ours().filter((line) => line.startsWith('warn') && !line.includes('default'))).toEqual(
      [],
    );
  });
});

describe('an optional user beside something else', () => {
  const boot = (...controllers: Type[]) => testApp({ controllers });

  it('ends start-up, if that requires a token', async () => {
    @Controller('v1/both')
    class MethodController {
      @Get()
      @OptionalUser()
      @RequirePermissions('note:read')
      get() {}
    }
    await expect(boot(MethodController)).rejects.toThrow(IllegalStateException);
    await expect(boot(MethodController)).rejects.toThrow(
      'MethodController: get is @OptionalUser() and asks for',
    );

    @Controller('v1/both')
    @OptionalUser()
    @RequireRoles('editor')
    class ClassController {
      @Get()
      get() {}
    }
    await expect(boot(ClassController)).rejects.toThrow('ClassController is @OptionalUser() and asks for');
  });

  it('is refused where it makes no sense', () => {
    expect(() => OptionalUser({ invalid: 'ignore' as never })).toThrow(
      "@OptionalUser: invalid must be 'refuse' or 'anonymous', not 'ignore'",
    );
    const both = () => {
      class Both {
        @Public()
        @OptionalUser()
        get() {}
      }
      return Both;
    };
    expect(both).toThrow('@Public() and @OptionalUser() exclude each other: get has both');
  });
});

describe('an answer to an optional user', () => {
  it('keeps the Vary of the application', async () => {
    @Controller('v1/pages')
    class PagesController {
      @Get(':name')
      @OptionalUser()
      get(@Param('name') name: string, @Query('fail') fail?: string) {
        if (fail !== undefined) {
          throw new AuthException(AuthErrorCode.NOT_FOUND);
        }
        return name;
      }
    }
    for (const platform of BOTH) {
      const app = await testApp({
        platform,
        controllers: [PagesController],
        configure: (nest) => nest.enableCors({ origin: ['https://a.example', 'https://b.example'] }),
      });
      const headers = ['Origin: https://a.example'];
      expect((await app.request('/v1/pages/a', { headers })).headers['vary']).toBe('Origin, Authorization');
      const failed = await app.request('/v1/pages/a?fail=1', { headers });
      expect([failed.status, failed.headers['vary']]).toEqual([404, 'Origin, Authorization']);
    }
  });
});
