import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Body,
  Controller,
  Injectable,
  Module,
  type OnModuleInit,
  Post,
  Req,
  Res,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ExternalContextCreator, HttpAdapterHost } from '@nestjs/core';
import {
  AUTH_USER_STORE,
  type AuthException,
  Authorize,
  type AuthPolicy,
  CurrentUser,
  KitAuthContext,
  KitAuthModule,
  type KitAuthOptions,
  type LoginUser,
  OptionalUser,
  Public,
  RequireRoles,
  RequireToken,
} from 'kit-auth';
import { MemorySessionStore } from 'kit-auth-session';
import { BOTH, loginUser, sharedTestApp, testApp } from 'test-support';

/** Calls a resolver as @nestjs/graphql does, which needs no GraphQL: with Nest's creator of contexts. */
const resolverOf = (contexts: ExternalContextCreator, instance: object, field: string) =>
  contexts.create(
    instance,
    Reflect.get(instance, field) as () => unknown,
    field,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'graphql',
  );

@Injectable()
class NotesResolver {
  constructor(private readonly context: KitAuthContext) {}

  plain(_root: unknown, _args: unknown, { req }: { req: { user?: LoginUser } }) {
    return `${req.user?.username} ${this.context.get()?.username}`;
  }
  entity(_root: unknown, _args: unknown, { req }: { req: { user?: { id: number } } }) {
    return `${req.user?.id} ${this.context.get()?.username}`;
  }
  @RequireToken() closed() {}
  @RequireRoles('editor') edited() {}
  @OptionalUser() optional() {
    return this.context.get()?.username ?? 'nobody';
  }
  @OptionalUser({ invalid: 'anonymous' }) news() {
    return this.optional();
  }
}

/** Stands for a GraphQL server. */
@Controller(['graphql', 'v1/graphql'])
@Public()
class GraphController {
  constructor(
    private readonly contexts: ExternalContextCreator,
    private readonly notes: NotesResolver,
  ) {}

  @Post() async run(
    @Body() { fields }: { fields: string[] },
    @Req() req: object,
    @Res({ passthrough: true }) res: object,
  ) {
    const all = () =>
      Promise.all(
        fields.map((field) => resolverOf(this.contexts, this.notes, field)(undefined, {}, { req, res })),
      );
    try {
      return { data: [...(await all()), ...(await all())] };
    } catch (error) {
      return (error as AuthException).getResponse();
    }
  }

  @Post('long') async long(@Req() { url, rawHeaders, raw }: any) {
    const news = resolverOf(this.contexts, this.notes, 'news');
    const wrong = ['Authorization', 'Bearer wrong'];
    return [
      await news(undefined, {}, { req: { url, rawHeaders: rawHeaders ?? raw.rawHeaders } }),
      await news(undefined, {}, { req: { url, rawHeaders: wrong } }),
    ];
  }
}
const graph = { controllers: [GraphController], providers: [NotesResolver] };

describe.each(BOTH)('resolvers of GraphQL on %s', (platform) => {
  const store = new MemorySessionStore();
  const app = sharedTestApp({ ...graph, platform, session: { store } });
  let token: string;
  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });

  const query = (target: string, fields: string[], as?: string) =>
    app.request(target, { method: 'POST', token: as, json: { fields } });

  it('are protected by the path of the operation, or by their decorators', async () => {
    const { json, headers } = await query('/v1/graphql', ['plain']);
    expect([json.code, headers['www-authenticate']]).toEqual([40100, 'Bearer realm="kit-auth"']);
    expect((await query('/graphql', ['closed'])).json.code).toBe(40100);
    const denied = await query('/graphql', ['edited'], token);
    expect([denied.json.code, denied.headers['cache-control']]).toEqual([40300, 'no-store']);
    const nobody = 'undefined undefined';
    expect((await query('/graphql', ['plain'], token)).json.data).toEqual([nobody, nobody]);
  });

  it('have the user, whose token is looked up once for all of them', async () => {
    const lookUp = jest.spyOn(store, 'find');
    const { json } = await query('/v1/graphql', ['plain', 'plain', 'plain'], token);
    expect(json.data).toEqual(Array(6).fill('ada ada'));
    expect(lookUp).toHaveBeenCalledTimes(1);
    await query('/v1/graphql', ['plain'], token);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('have an optional user, and none once the token of a long operation is invalid', async () => {
    const { json, headers } = await query('/v1/graphql', ['optional']);
    expect([json.data, headers['vary']]).toEqual([['nobody', 'nobody'], 'Authorization']);
    expect((await query('/v1/graphql', ['optional', 'news'], token)).json.data).toEqual(Array(4).fill('ada'));
    expect((await query('/v1/graphql', ['optional'], 'wrong')).json.code).toBe(40101);
    expect((await query('/v1/graphql', ['news'], 'wrong')).json.data).toEqual(['nobody', 'nobody']);
    expect((await query('/v1/graphql/long', [], token)).json).toEqual(['ada', 'nobody']);
  });
});

describe.each(BOTH)('resolvers of GraphQL on %s, whose user store has requestUser()', (platform) => {
  const requestUser = jest.fn(async (id: number) => ({ id }));
  const users = { loadLoginUser: async (userId: number) => loginUser({ userId }), requestUser };
  @Module({ providers: [{ provide: AUTH_USER_STORE, useValue: users }] })
  class UsersModule {}
  const core = KitAuthModule.forRoot({ users: UsersModule });
  const app = sharedTestApp({ ...graph, platform, core, database: false });

  it('have its result in the request of their context, which is asked for once', async () => {
    const token = await app.issueToken({ userId: 7 });
    const json = { fields: ['entity', 'entity', 'entity'] };
    const answer = await app.request('/v1/graphql', { method: 'POST', token, json });
    expect(answer.json.data).toEqual(Array(6).fill('7 ada'));
    expect(requestUser).toHaveBeenCalledTimes(1);
  });
});

it('resolvers of GraphQL are protected by their decorators only, if protect says so', async () => {
  const app = await testApp({ ...graph, options: { protect: 'decorated' } });
  const query = async (field: string) =>
    (await app.request('/v1/graphql', { method: 'POST', json: { fields: [field] } })).json;
  expect((await query('plain')).data).toHaveLength(2);
  expect((await query('closed')).code).toBe(40100);
});

describe('a GraphQL server that is mounted with Express', () => {
  /** Mounts it as @nestjs/apollo does: every path below that of the mount reaches it. */
  @Injectable()
  class GraphServer implements OnModuleInit {
    constructor(
      private readonly contexts: ExternalContextCreator,
      private readonly adapters: HttpAdapterHost,
    ) {}
    onModuleInit() {
      const resolve = resolverOf(this.contexts, { notes: () => 'notes' }, 'notes');
      this.adapters.httpAdapter.use('/v1/graphql', async (req: unknown, res: any) => {
        try {
          res.json(await resolve(undefined, {}, { req, res }));
        } catch (error) {
          res.json((error as AuthException).code);
        }
      });
    }
  }
  const answers = async (options: KitAuthOptions) => {
    const app = await testApp({ options, providers: [GraphServer] });
    const paths = ['', '/', '?a=/b', '/a.json', '/info', '/health'].map((rest) => `/v1/graphql${rest}`);
    return Promise.all([...paths, '/V1/GraphQL'].map(async (path) => (await app.request(path)).json));
  };

  it('is judged by the path of the mount, whatever the client adds to it', async () => {
    const closed = Array(7).fill(40100);
    const whiteList = ['/**/*.json', '/*/info', '/v1/*/health'];
    expect(await answers({ whiteList })).toEqual(closed);
    expect(await answers({ protect: ['/**'], whiteList })).toEqual(closed);
    expect(await answers({ protect: ['/**'], whiteList: ['/v1/graphql'] })).toEqual([
      ...Array(3).fill('notes'),
      ...Array(4).fill(40100),
    ]);
    expect(await answers({ protect: ['/other'] })).toEqual(Array(7).fill('notes'));
  });
});

describe('start-up of an application with GraphQL', () => {
  // The metadata of @nestjs/graphql.
  const Query = () => SetMetadata('graphql:resolver_type', 'Query');
  const Mutation = () => SetMetadata('graphql:resolver_type', 'Mutation');
  const ResolveField = () => SetMetadata('graphql:resolve_property', true);

  @Injectable()
  class CatsResolver {
    @Query() cats(@CurrentUser() user?: LoginUser) {
      return [user?.username];
    }
    @Mutation() @Public() pet() {}
    @ResolveField() age() {}
  }
  @Injectable()
  class VetResolver {
    @Query() @RequireRoles('vet') patients() {}
    @ResolveField() @RequireRoles('vet') weight() {}
  }
  const warnings = async (options: KitAuthOptions, graphql: object, providers: Type[], prefix = '') => {
    const { logs } = await testApp({
      options: { defaultAdminPassword: 'of this application', jwt: { secret: 's'.repeat(32) }, ...options },
      providers: [...providers, { provide: 'GqlModuleOptions', useValue: graphql }],
      configure: (nest) => nest.setGlobalPrefix(prefix),
    });
    return logs.ours().filter((line) => line.startsWith('warn'));
  };

  it('finds the resolvers with their paths, for its warnings', async () => {
    const nothing = 'NOTHING IS PROTECTED: none of the 2 resolvers of the application';
    expect(await warnings({}, {}, [CatsResolver])).toEqual([
      expect.stringMatching(`${nothing}.*1 open by path, 1 open by @Public; for example Query /graphql\\)`),
      expect.stringContaining('routes that need no token: Query /graphql (CatsResolver.cats)'),
    ]);
    const elsewhere = await warnings({ protect: ['/graphql'] }, { path: 'gql' }, [CatsResolver]);
    expect(elsewhere[0]).toContain('Query /gql)');
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
      can = () => true;
    }
    @Injectable()
    class PolicyResolver {
      @Query() @Authorize(NoPolicy) cats() {}
    }
    await expect(warnings({}, {}, [PolicyResolver])).rejects.toThrow('NoPolicy');
  });
});
