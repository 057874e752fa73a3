import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  type OnModuleInit,
  Param,
  Post,
  Req,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ExternalContextCreator, HttpAdapterHost } from '@nestjs/core';
import {
  type AuthException,
  Authorize,
  type AuthPolicy,
  CurrentUser,
  KitAuthContext,
  type KitAuthOptions,
  type LoginUser,
  Public,
  RequireRoles,
  RequireToken,
  RouteAccessReport,
} from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { KitAuthController } from 'kit-auth/extend';
import { MemorySessionStore } from 'kit-auth-session';
import { BOTH, EVERYWHERE, sharedTestApp, type TestApp, testApp } from 'test-support';

@Controller('orders')
class OrdersController {
  @Get()
  list(@CurrentUser() user?: LoginUser) {
    return { user: user?.username ?? null };
  }

  @Get('health')
  @Public()
  health() {
    return 'ok';
  }

  @Get(':id')
  get() {
    return 'order';
  }

  @Get(':id/info')
  info() {
    return 'info';
  }

  @Post('token')
  @RequireToken()
  token() {
    return 'token';
  }
}

@Controller('staff')
@RequireRoles('editor')
class StaffController {
  @Get()
  list() {
    return 'staff';
  }

  @Get('open')
  @Public()
  open() {
    return 'open';
  }
}

@Controller('pages')
@Public()
class PagesController {
  @Get()
  list() {
    return 'pages';
  }

  @Get('own')
  @Public(false)
  own() {
    return 'own';
  }
}

@Controller(':tenant/files')
class FilesController {
  @Get(':name')
  get() {
    return 'file';
  }
}

/** Of a package that extends the core. */
@KitAuthController('keys')
class KeysController {
  @Get()
  list() {
    return 'keys';
  }

  @Get('open')
  @Public()
  open() {
    return 'open';
  }
}

const CONTROLLERS = [OrdersController, StaffController, PagesController, FilesController, KeysController];
const OURS = ['/v1/api/auth/me', '/v1/api/auth/keys', '/v1/api/auth/sessions', '/v1/api/auth/users'];

const openOf = async (app: TestApp, paths: readonly string[]) => {
  const answers = await Promise.all(paths.map((path) => app.request(path)));
  expect(answers.map(({ status }) => [200, 401].includes(status))).toEqual(paths.map(() => true));
  return paths.filter((_path, i) => answers[i]!.status === 200);
};
const warningsOf = (app: TestApp) =>
  app.logs.ours().filter((line) => line.startsWith('warn') && !line.includes('built-in default'));

describe.each(EVERYWHERE)("protect: ['/**'] on $platform with $provider", (where) => {
  const app = sharedTestApp({
    ...where,
    options: { protect: ['/**'], whiteList: ['/*/info', '/orders/*/info'] },
    controllers: CONTROLLERS,
    admin: true,
  });

  it('protects every route without a decorator or a pattern that opens it', async () => {
    const paths = ['/orders', '/orders/7', '/staff', '/pages/own', '/acme/files/a', ...OURS];
    expect(await openOf(app, paths)).toEqual([]);
    expect((await app.request('/ORDERS/7')).status).toBe(where.platform === 'express' ? 401 : 404);
  });

  it('leaves open what is public or on the white-list, to plain requests', async () => {
    const paths = ['/orders/health', '/orders/7/info', '/staff/open', '/pages', '/v1/api/auth/keys/open'];
    expect(await openOf(app, paths)).toEqual(paths);
    expect((await app.request('/orders/7%2f8/info')).status).toBe(401);
    expect((await app.request('/orders/;7/info')).status).toBe(401);
  });

  it('lets a token through, and gives the handler its user', async () => {
    const token = await app.adminToken();
    expect((await app.request('/orders', { token })).json).toEqual({ user: 'admin' });
    expect((await app.request('/acme/files/a', { token })).status).toBe(200);
    expect((await app.request('/v1/api/auth/keys', { token })).status).toBe(200);
  });

  it('warns about nothing', () => expect(warningsOf(app)).toEqual([]));
});

describe.each(EVERYWHERE)('patterns of their own on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    options: { protect: ['/orders/*/info', '/acme/**'] },
    controllers: CONTROLLERS,
    admin: true,
  });

  it('protect what they cover, and nothing else of the application', async () => {
    const paths = ['/orders', '/orders/7', '/orders/7/info', '/acme/files/a', '/other/files/a', '/pages/own'];
    expect(await openOf(app, paths)).toEqual(['/orders', '/orders/7', '/other/files/a', '/pages/own']);
    for (const path of ['/ACME/files/a', '/%61cme/files/a', '/acme;x/files/a', '/other/files/a%2fb']) {
      expect((await app.request(path)).status).toBe(401);
    }
  });

  it('leave the endpoints of the packages protected', async () => {
    expect(await openOf(app, [...OURS, '/v1/api/auth/keys/open'])).toEqual(['/v1/api/auth/keys/open']);
  });

  it('are followed by the report, and by OpenAPI documents', () => {
    const routes = app.get(RouteAccessReport).routes();
    const decisionOf = (path: string) => routes.find((route) => route.path === path)?.decision;
    expect(['/orders', '/orders/:id', '/orders/:id/info', '/v1/api/auth/keys'].map(decisionOf)).toEqual([
      'open by path',
      'open by path',
      'token',
      'token',
    ]);
    const document = { paths: { '/orders': { get: {} }, '/orders/{id}/info': { get: {} } } };
    expect(documentKitAuth(document, app.nest)).toMatchObject({
      paths: {
        '/orders': { get: { security: [] } },
        '/orders/{id}/info': { get: { security: [{ bearer: [] }] } },
      },
    });
  });

  it('leave an operation the security of another guard, unless the application opens the route', () => {
    const session = [{ session: [] }];
    const paths = Object.fromEntries(
      ['/orders', '/pages'].map((path) => [path, { get: { security: session } }]),
    );
    documentKitAuth({ paths }, app.nest);
    expect(Object.values(paths).map(({ get }) => get.security)).toEqual([session, []]);
  });

  it('warn about what they do not cover, and about handlers that never have a user', () => {
    expect(warningsOf(app)).toEqual([
      "warn [auth] routes that kit.auth.protect (['/orders/*/info', '/acme/**']) does not cover need no token: " +
        'GET /orders (OrdersController.list), GET /orders/:id (OrdersController.get), ' +
        'GET /pages/own (PagesController.own), GET /:tenant/files/:name (FilesController.get). Add @RequireToken() ' +
        'to protect them, or @Public() to open them on purpose.',
      'warn [auth] @CurrentUser() is always undefined on routes that need no token: GET /orders ' +
        '(OrdersController.list). Add @OptionalUser(), protect them, or remove it.',
    ]);
  });
});

describe.each(EVERYWHERE)("protect: 'decorated' on $platform with $provider", (where) => {
  const app = sharedTestApp({
    ...where,
    options: { protect: 'decorated', whiteList: ['/pages/own'] },
    controllers: CONTROLLERS,
    admin: true,
  });
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });

  it('protects what a decorator protects, and nothing else', async () => {
    const paths = ['/orders', '/orders/7', '/staff', '/staff/open', '/pages', '/pages/own', '/x/files/a'];
    const open = ['/orders', '/orders/7', '/staff/open', '/pages', '/x/files/a'];
    expect(await openOf(app, paths)).toEqual(open);
    expect((await app.request('/orders/token', { method: 'POST' })).status).toBe(401);
    expect((await app.request('/orders/token', { method: 'POST', token })).status).toBe(201);
    expect(await openOf(app, OURS)).toEqual([]);
  });

  it('also opens requests that are not plain', async () => {
    expect((await app.request('/x/files/a%2fb;c')).status).toBe(200);
  });

  it('reads no token on open routes, not even a wrong one', async () => {
    expect((await app.request('/orders', { token })).json).toEqual({ user: null });
    expect((await app.request('/orders', { token: 'wrong' })).json).toEqual({ user: null });
  });

  it('is followed by the report', () => {
    const routes = app.get(RouteAccessReport).routes();
    const open = routes.filter(({ decision }) => decision === 'open by default');
    expect(open.map(({ path, explicit }) => [path, explicit])).toEqual([
      ['/:tenant/files/:name', false],
      ['/orders', false],
      ['/orders/:id', false],
      ['/orders/:id/info', false],
    ]);
    expect(routes.find(({ path }) => path === '/pages/own')).toMatchObject({
      decision: 'token',
      explicit: true,
    });
  });

  it('warns about a white-list, which has no effect, and about open handlers that take the current user', () => {
    expect(warningsOf(app)).toEqual([
      "warn [auth] kit.auth.whiteList has no effect, because kit.auth.protect is 'decorated': no path is protected",
      'warn [auth] @CurrentUser() is always undefined on routes that need no token: GET /orders ' +
        '(OrdersController.list). Add @OptionalUser(), protect them, or remove it.',
    ]);
  });
});

describe.each(BOTH)('protect on %s', (platform) => {
  const boot = (
    options: KitAuthOptions,
    controllers: Type[],
    configure: (nest: TestApp['nest']) => void = () => undefined,
  ) => testApp({ platform, options, controllers, configure });

  it('starts with a warning that nothing is protected, which leaves out the endpoints of packages', async () => {
    const app = await testApp({
      platform,
      options: {},
      controllers: [PagesController, KeysController],
      admin: true,
    });
    expect(warningsOf(app)).toEqual([expect.stringContaining('none of the 2 routes of the application')]);
  });

  it('counts a route that the white-list names as decided', async () => {
    @Controller()
    class MixedController {
      @Get('health')
      health() {
        return 1;
      }
      @Get('v1/closed')
      @RequireToken()
      closed() {
        return 1;
      }
    }
    const options = { whiteList: ['/health'], access: { requireDecision: true } };
    expect(warningsOf(await boot(options, [MixedController]))).toEqual([]);
  });

  it('applies to handlers behind one route, such as resolvers', async () => {
    class Resolver {
      open(_root: unknown, _args: unknown, { req }: any) {
        return `user: ${req.app.get(KitAuthContext).get()?.username}`;
      }
      @RequireToken()
      closed(...args: [unknown, unknown, unknown]) {
        return this.open(...args);
      }
    }
    /** Stands for a GraphQL server, which calls resolvers like this. */
    @Controller('graphql')
    @Public()
    class GraphController {
      constructor(private readonly contexts: ExternalContextCreator) {}
      @Get(':method')
      run(@Param('method') method: 'open' | 'closed', @Req() { url, rawHeaders, raw }: any) {
        const resolver = new Resolver();
        const handler = Reflect.get(resolver, method) as () => unknown;
        const args = [resolver, handler, method, '', undefined, undefined, undefined] as const;
        const req = { url, rawHeaders: rawHeaders ?? raw.rawHeaders, app };
        return this.contexts.create(...args, undefined, 'graphql')(undefined, {}, { req });
      }
    }
    let app: TestApp;
    const resolve = async (protect: KitAuthOptions['protect'], method: string, hasToken = false) => {
      app = await boot({ protect }, [GraphController]);
      const token = hasToken ? await app.adminToken() : undefined;
      const { status, text } = await app.request(`/graphql/${method}`, { token });
      return status === 200 ? text : status;
    };
    expect(await resolve(['/v1/**'], 'open')).toBe('user: undefined');
    expect(await resolve(['/graphql/**'], 'open')).toBe(401);
    expect(await resolve(['/graphql/**'], 'open', true)).toBe('user: admin');
    expect(await resolve(['/**'], 'open')).toBe(401);
    expect(await resolve('decorated', 'open')).toBe('user: undefined');
    expect(await resolve('decorated', 'closed')).toBe(401);
    expect(await resolve('decorated', 'closed', true)).toBe('user: admin');
  });
});

describe('a GraphQL server that is mounted with Express', () => {
  it('is judged by the path of the mount, whatever the client adds to it', async () => {
    class Resolver {
      notes() {
        return 'notes';
      }
    }
    /** Mounts a GraphQL server as @nestjs/apollo does: every path below that of the mount reaches it. */
    @Injectable()
    class GraphServer implements OnModuleInit {
      static path = '/graphql';
      constructor(
        private readonly contexts: ExternalContextCreator,
        private readonly adapters: HttpAdapterHost,
      ) {}
      onModuleInit() {
        const resolver = new Resolver();
        const notes = Reflect.get(resolver, 'notes') as () => unknown;
        const args = [resolver, notes, 'notes', '', undefined, undefined, undefined] as const;
        const resolve = this.contexts.create(...args, undefined, 'graphql');
        this.adapters.httpAdapter.use(GraphServer.path, async (req: unknown, res: any) => {
          try {
            res.json(await resolve(undefined, {}, { req, res }));
          } catch (error) {
            res.json((error as AuthException).code);
          }
        });
      }
    }
    const answersAt = async (options: KitAuthOptions, mount: string, paths: string[]) => {
      GraphServer.path = mount;
      const app = await testApp({ options, providers: [GraphServer] });
      return Promise.all(paths.map(async (path) => (await app.request(path)).json));
    };
    const graphql = [
      '/graphql',
      '/graphql/',
      '/GraphQL',
      '/graphql?a=/b',
      '/graphql/a.json',
      '/graphql/info',
    ];
    const v1 = ['/v1/graphql', '/v1/graphql/health'];
    const refused = (paths: string[]) => paths.map(() => 40100);

    expect(await answersAt({ protect: ['/graphql'] }, '/graphql', graphql)).toEqual(refused(graphql));
    const whiteList = ['/**/*.json', '/*/info', '/v1/*/health'];
    const everything = { protect: ['/**'], whiteList };
    expect(await answersAt(everything, '/graphql', graphql)).toEqual(refused(graphql));
    expect(await answersAt({ whiteList }, '/v1/graphql', v1)).toEqual(refused(v1));

    const opened = { protect: ['/**'], whiteList: ['/graphql'] };
    expect(await answersAt(opened, '/graphql', graphql)).toEqual([
      'notes',
      'notes',
      40100,
      'notes',
      40100,
      40100,
    ]);
    expect(await answersAt({}, '/graphql', ['/graphql', '/graphql/a'])).toEqual(['notes', 'notes']);
  });
});

describe('an operation of GraphQL', () => {
  it('looks up its token once, whatever the number of its resolvers', async () => {
    class Resolver {
      user(_root: unknown, _args: unknown, { req }: { req: { user: LoginUser } }) {
        return req.user.username;
      }
    }
    /** Calls a resolver for each field of an operation at once, and others afterwards. */
    @Controller('v1/graphql')
    @Public()
    class GraphController {
      constructor(private readonly contexts: ExternalContextCreator) {}
      @Get()
      async run(@Req() req: unknown) {
        const resolver = new Resolver();
        const user = Reflect.get(resolver, 'user') as () => unknown;
        const args = [resolver, user, 'user', '', undefined, undefined, undefined] as const;
        const resolve = this.contexts.create(...args, undefined, 'graphql');
        const fields = () => Promise.all([1, 2, 3].map(() => resolve(undefined, {}, { req })));
        return [...(await fields()), ...(await fields())];
      }
    }
    const store = new MemorySessionStore();
    const lookUp = jest.spyOn(store, 'find');
    for (const platform of BOTH) {
      const app = await testApp({ platform, session: { store }, controllers: [GraphController] });
      const [ada, bob] = [await app.user({ username: 'ada' }), await app.user({ username: 'bob' })];
      const tokens = [await app.tokenOf(ada), await app.tokenOf(bob)];
      lookUp.mockClear();
      const answers = await Promise.all(tokens.map((token) => app.request('/v1/graphql', { token })));
      expect(answers.map(({ json }) => json)).toEqual([Array(6).fill('ada'), Array(6).fill('bob')]);
      expect(lookUp).toHaveBeenCalledTimes(2);
      expect((await app.request('/v1/graphql', { token: tokens[0] })).status).toBe(200);
      expect(lookUp).toHaveBeenCalledTimes(3);
    }
  });
});

describe('start-up of an application with GraphQL', () => {
  // The metadata of @nestjs/graphql.
  const Query = () => SetMetadata('graphql:resolver_type', 'Query');
  const Mutation = () => SetMetadata('graphql:resolver_type', 'Mutation');
  const ResolveField = () => SetMetadata('graphql:resolve_property', true);

  @Injectable()
  class CatsResolver {
    @Query()
    cats(@CurrentUser() user?: LoginUser) {
      return [user?.username];
    }
    @Mutation()
    @Public()
    pet() {
      return 'purr';
    }
    @ResolveField()
    age() {
      return 4;
    }
  }
  @Injectable()
  class VetResolver {
    @Query()
    @RequireRoles('vet')
    patients() {
      return [];
    }
    @ResolveField()
    @RequireRoles('vet')
    weight() {
      return 4;
    }
  }
  const start = (options: KitAuthOptions, graphql: object, providers: Type[], prefix = '') =>
    testApp({
      options,
      providers: [...providers, { provide: 'GqlModuleOptions', useValue: graphql }],
      configure: (nest) => nest.setGlobalPrefix(prefix),
    });
  const warnings = async (...args: Parameters<typeof start>) => warningsOf(await start(...args));

  it('finds the resolvers with their paths, for its warnings', async () => {
    const nothing = 'NOTHING IS PROTECTED: none of the 2 resolvers of the application';
    expect(await warnings({}, {}, [CatsResolver])).toEqual([
      expect.stringMatching(`${nothing}.*1 open by path, 1 open by @Public; for example Query /graphql\\)`),
      expect.stringContaining('routes that need no token: Query /graphql (CatsResolver.cats)'),
    ]);
    expect((await warnings({ protect: ['/graphql'] }, { path: 'gql' }, [CatsResolver]))[0]).toContain(
      'Query /gql)',
    );
    expect(await warnings({ protect: ['/graphql'] }, {}, [CatsResolver])).toEqual([]);
    const prefixed = { path: '/graphql', useGlobalPrefix: true };
    expect(await warnings({ protect: ['/api/**'] }, prefixed, [CatsResolver], 'api')).toEqual([]);
  });

  it('warns about decorators on fields, unless Nest calls guards for them', async () => {
    expect(await warnings({ protect: ['/**'] }, {}, [CatsResolver, VetResolver])).toEqual([
      expect.stringContaining('access decorators on fields have no effect: VetResolver.weight. '),
    ]);
    const guarded = { fieldResolverEnhancers: ['guards'] };
    expect(await warnings({ protect: 'decorated' }, guarded, [VetResolver])).toEqual([]);
  });

  it('fails if a resolver asks for a policy that no module provides', async () => {
    class NoPolicy implements AuthPolicy {
      can() {
        return true;
      }
    }
    @Injectable()
    class PolicyResolver {
      @Query()
      @Authorize(NoPolicy)
      cats() {
        return [];
      }
    }
    await expect(start({}, {}, [PolicyResolver])).rejects.toThrow('NoPolicy');
  });
});
