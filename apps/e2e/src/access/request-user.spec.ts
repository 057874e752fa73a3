import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  Post,
  Req,
  Res,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, ExternalContextCreator, HttpAdapterHost, Reflector } from '@nestjs/core';
import { AuthException, CurrentUser, KitAuthContext, type LoginUser, Public, RequireRoles } from 'kit-auth';
import type { Observable } from 'rxjs';
import { bearer, BOTH, EVERYWHERE, sharedTestApp } from 'test-support';

// What applications have that come from @nestjs/passport, unchanged.

interface RequestWithUser {
  user?: LoginUser;
}

const User = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<RequestWithUser>().user,
);

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const roles = this.reflector.get<string[]>('roles', context.getHandler());
    const { user } = context.switchToHttp().getRequest<RequestWithUser>();
    return roles.every((role) => user?.roles.includes(role));
  }
}

interface Customer {
  customerOf: string;
}

/** As in an application whose handlers work with an entity. */
@Injectable()
class CustomerGuard implements CanActivate {
  constructor(private readonly context: KitAuthContext) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ user: Customer }>();
    request.user = { customerOf: this.context.getOrThrow().username };
    return true;
  }
}

const logged: (string | undefined)[] = [];

/** As an APP_GUARD of the root module, which Nest runs before those of imported modules. */
@Injectable()
class GlobalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestWithUser & { url: string }>();
    return !request.url.endsWith('/for-ada') || request.user?.username === 'ada';
  }
}

@Injectable()
class LoggingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    logged.push(context.switchToHttp().getRequest<RequestWithUser>().user?.username);
    return next.handle();
  }
}

@Controller('v1/profile')
class ProfileController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  @UseInterceptors(LoggingInterceptor)
  profile(@User() user: LoginUser, @CurrentUser() current: LoginUser, @Req() request: RequestWithUser) {
    const isTheSame = user === current && user === request.user && user === this.context.get();
    return { ...user, isTheSame };
  }

  @Get('edit')
  @Roles('editor')
  @UseGuards(RolesGuard)
  edit(@User() user: LoginUser) {
    return { by: user.username };
  }

  @Get('customer')
  @UseGuards(CustomerGuard)
  customer(@User() user: Customer, @CurrentUser() current: LoginUser) {
    return { ...user, current: current.username };
  }

  @Get('for-ada')
  forAda() {}

  @Get('refused')
  @RequireRoles('nobody-has-this')
  refused() {}

  @Get('open')
  @Public()
  open(@Req() request: RequestWithUser) {
    return { user: request.user ?? null, isThere: 'user' in request };
  }
}

/** As a logger that writes its line when the response was sent. */
const lines: string[] = [];

function logAccess(nest: INestApplication): void {
  const adapter = nest.get(HttpAdapterHost).httpAdapter;
  const log = (url: string, user?: LoginUser) => lines.push(`${url} ${user?.username ?? '-'}`);
  if (adapter.getType() === 'fastify') {
    adapter.getInstance().addHook('onResponse', async (request: RequestWithUser & { url: string }) => {
      log(request.url, request.user);
    });
  } else {
    nest.use((request: RequestWithUser & { originalUrl: string }, response: any, next: () => void) => {
      response.once('finish', () => log(request.originalUrl, request.user));
      next();
    });
  }
}

describe.each(EVERYWHERE)('request.user on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    controllers: [ProfileController],
    providers: [LoggingInterceptor, RolesGuard, CustomerGuard, { provide: APP_GUARD, useClass: GlobalGuard }],
    configure: logAccess,
  });
  const tokens: Record<string, string> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  beforeAll(async () => {
    await app.role({ code: 'editor' });
    tokens['ada'] = await app.tokenOf(await app.user({ username: 'ada', roles: ['editor'] }));
    tokens['bob'] = await app.tokenOf(await app.user({ username: 'bob' }));
  });
  afterAll(() => agent.destroy());

  it('is the LoginUser, for decorators, interceptors and handlers', async () => {
    const { json } = await app.request('/v1/profile', { token: tokens['ada'] });
    expect(json).toMatchObject({ username: 'ada', roles: ['editor'], superAdmin: false, isTheSame: true });
    expect(logged.at(-1)).toBe('ada');
  });

  it('serves guards that are there already', async () => {
    const answers = [
      await app.request('/v1/profile/edit', { token: tokens['ada'] }),
      await app.request('/v1/profile/edit', { token: tokens['bob'] }),
    ];
    expect(answers.map(({ status, json }) => [status, json.by])).toEqual([
      [200, 'ada'],
      [403, undefined],
    ]);
  });

  it('may be replaced by a guard of the application', async () => {
    const { json } = await app.request('/v1/profile/customer', { token: tokens['ada'] });
    expect(json).toEqual({ customerOf: 'ada', current: 'ada' });
  });

  it('serves a global guard of the root module', async () => {
    const answers = [
      await app.request('/v1/profile/for-ada', { token: tokens['ada'] }),
      await app.request('/v1/profile/for-ada', { token: tokens['bob'] }),
      await app.request('/v1/profile/for-ada'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 401]);
  });

  it('is there when the response was sent, also for a refusal of a known user', async () => {
    lines.length = 0;
    await app.request('/v1/profile', { token: tokens['ada'] });
    await app.request('/v1/profile/refused', { token: tokens['bob'] });
    await app.request('/v1/profile', { token: 'nonsense' });
    expect(lines).toEqual(['/v1/profile ada', '/v1/profile/refused bob', '/v1/profile -']);
  });

  it('is not set on open routes, and not by an earlier request of the connection', async () => {
    const ask = (path: string, token?: string) =>
      new Promise<any>((resolve, reject) => {
        const headers = token === undefined ? {} : { Authorization: bearer(token).split(': ')[1]! };
        httpRequest({ port: app.port, host: '127.0.0.1', path, agent, headers }, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
        })
          .on('error', reject)
          .end();
      });
    for (const name of ['ada', 'bob']) {
      expect((await ask('/v1/profile', tokens[name])).username).toBe(name);
      expect(await ask('/v1/profile/open')).toEqual({ user: null, isThere: false });
      expect(await ask('/v1/profile/open', tokens[name])).toEqual({ user: null, isThere: false });
      expect((await ask('/v1/profile')).code).toBe(40100);
    }
  });
});

@Injectable()
class NotesResolver {
  notes(_root: unknown, _args: unknown, { req }: { req: RequestWithUser }) {
    return [`note of ${req.user?.username}`];
  }

  @RequireRoles('editor')
  edited() {
    return [];
  }
}

/** Calls resolvers as @nestjs/graphql does, which needs no GraphQL: with Nest's creator of contexts for other transports. */
@Controller()
class GraphQlController {
  constructor(
    private readonly creator: ExternalContextCreator,
    private readonly resolver: NotesResolver,
  ) {}

  @Post(['v1/graphql', 'graphql'])
  @Public()
  async query(@Req() req: { body: { field: 'notes' | 'edited' } }, @Res({ passthrough: true }) res: unknown) {
    const { field } = req.body;
    const resolve = this.creator.create(
      this.resolver,
      Reflect.get(this.resolver, field) as never,
      field,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'graphql',
    );
    try {
      return { data: await resolve(undefined, {}, { req, res }, {}) };
    } catch (error) {
      return { errors: [error instanceof AuthException ? error.getResponse() : String(error)] };
    }
  }
}

describe.each(BOTH)('a resolver of GraphQL on %s', (platform) => {
  const app = sharedTestApp({ platform, controllers: [GraphQlController], providers: [NotesResolver] });
  const query = (target: string, field: string, token?: string) =>
    app.request(target, { method: 'POST', token, json: { field } });

  it('finds the user in the request of its context', async () => {
    const token = await app.tokenOf(await app.user({ username: 'ada' }));
    expect((await query('/v1/graphql', 'notes', token)).json).toEqual({ data: ['note of ada'] });
    expect((await query('/graphql', 'notes', token)).json).toEqual({ data: ['note of undefined'] });
  });

  it('is refused with the headers of the refusal', async () => {
    const token = await app.tokenOf(await app.user());
    const { json, headers } = await query('/v1/graphql', 'notes');
    expect([json.errors[0].code, headers['www-authenticate']]).toEqual([40100, 'Bearer realm="kit-auth"']);
    const denied = await query('/graphql', 'edited', token);
    expect([denied.json.errors[0].code, denied.headers['cache-control']]).toEqual([40300, 'no-store']);
  });
});
