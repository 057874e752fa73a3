import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  NotFoundException,
  Post,
  type Provider,
  Scope,
  type Type,
} from '@nestjs/common';
import {
  type AuthPolicy,
  Authorize,
  KitAuthContext,
  type KitAuthOptions,
  type LoginUser,
  Public,
  RequirePermissions,
  RequireRoles,
  RequireToken,
  RouteAccessReport,
} from 'kit-auth';
import { EVERYWHERE, sharedTestApp, testApp } from 'test-support';

@Injectable()
class OwnPolicy implements AuthPolicy {
  constructor(private readonly context: KitAuthContext) {}

  can(user: LoginUser, execution: ExecutionContext) {
    const { id } = execution.switchToHttp().getRequest().params;
    if (id === '404') {
      throw new NotFoundException();
    }
    return id === this.context.get()?.username && user.username === id;
  }
}

@Injectable()
class SlowPolicy implements AuthPolicy {
  async can(_user: LoginUser, execution: ExecutionContext) {
    await new Promise(setImmediate);
    return execution.switchToHttp().getRequest().params.id === 'yes';
  }
}

@Injectable()
class BrokenPolicy implements AuthPolicy {
  can(): boolean {
    throw new Error('secret');
  }
}

@Controller('v1/notes')
@RequireRoles('reader')
class NotesController {
  @Get() list() {}
  @Post() @RequirePermissions('note:write', 'note:publish') create() {}
  @Get('any') @RequirePermissions('note:write', 'note:read', { mode: 'any' }) either() {}
  @Get('open') @Public() open() {}
  @Get('own/:id') @Authorize(OwnPolicy) own() {}
  @Get('slow/:id') @Authorize(SlowPolicy) @RequirePermissions('note:write') slow() {}
  @Get('broken') @Authorize(BrokenPolicy) broken() {}
}
@Controller('outside')
class OutsideController {
  @Get() free() {}
  @Get('token') @RequireToken() token() {}
  @Get('staff') @RequireRoles('editor', 'chief', { mode: 'any' }) staff() {}
}
@Public()
@Controller('v1/public')
class PublicController {
  @Get() free() {}
  @Get('staff') @RequireRoles('editor') staff() {}
}

const controllers = [NotesController, OutsideController, PublicController];
const policies = [OwnPolicy, SlowPolicy, BrokenPolicy];

describe.each(EVERYWHERE)('access on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    options: { whiteList: ['/v1/notes/any'] },
    controllers,
    providers: policies,
  });
  const tokens: Record<string, string | undefined> = {};

  beforeAll(async () => {
    await app.role({ code: 'reader', permissions: ['note:read'] });
    await app.role({ code: 'editor', permissions: ['note:*'] });
    for (const [username, roles] of [
      ['plain', []],
      ['reader', ['reader']],
      ['editor', ['reader', 'editor']],
    ] as const) {
      tokens[username] = await app.tokenOf(await app.user({ username, roles }));
    }
    tokens['admin'] = await app.adminToken();
  });

  const ACTORS = ['anonymous', 'plain', 'reader', 'editor', 'admin'] as const;

  it.each<[string, string, number[]]>([
    ['GET', '/v1/notes', [401, 403, 200, 200, 200]],
    ['POST', '/v1/notes', [401, 403, 403, 201, 201]],
    ['GET', '/v1/notes/any', [401, 403, 200, 200, 200]],
    ['GET', '/v1/notes/open', [200, 200, 200, 200, 200]],
    ['GET', '/v1/notes/own/reader', [401, 403, 200, 403, 403]],
    ['GET', '/v1/notes/own/404', [401, 403, 404, 404, 404]],
    ['GET', '/v1/notes/slow/yes', [401, 403, 403, 200, 200]],
    ['GET', '/v1/notes/slow/no', [401, 403, 403, 403, 403]],
    ['GET', '/v1/notes/broken', [401, 403, 500, 500, 500]],
    ['GET', '/outside', [200, 200, 200, 200, 200]],
    ['GET', '/outside/token', [401, 200, 200, 200, 200]],
    ['GET', '/outside/staff', [401, 403, 403, 200, 200]],
    ['GET', '/v1/public', [200, 200, 200, 200, 200]],
    ['GET', '/v1/public/staff', [401, 403, 403, 200, 200]],
  ])('%s %s is %j for anonymous, plain, reader, editor and admin', async (method, path, expected) => {
    const answers = await Promise.all(
      ACTORS.map((actor) => app.request(path, { method, token: tokens[actor] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(expected);
  });

  it('names the missing roles, permissions and policies, and tells nothing of errors', async () => {
    const ask = async (path: string, actor: string, method = 'GET') =>
      (await app.request(path, { method, token: tokens[actor] })).json;
    expect(await ask('/v1/notes', 'reader', 'POST')).toEqual({
      statusCode: 403,
      code: 40300,
      error: 'FORBIDDEN',
      message: 'The user lacks the permissions note:write, note:publish',
      missing: ['note:write', 'note:publish'],
    });
    expect((await ask('/v1/notes', 'plain')).missing).toEqual(['reader']);
    expect((await ask('/v1/notes/own/editor', 'reader')).missing).toEqual(['OwnPolicy']);
    expect(JSON.stringify(await ask('/v1/notes/broken', 'admin'))).not.toContain('secret');
  });

  it('lists the routes with their decisions', () => {
    const routes = app.get(RouteAccessReport).routes();
    expect(JSON.parse(JSON.stringify(routes))).toEqual(routes);
    const brief = routes.map(({ method, path, decision, requires = [], explicit }) => [
      `${method} ${path}`,
      decision,
      explicit,
      ...requires.map((requirement) =>
        'names' in requirement
          ? requirement.names.join()
          : 'name' in requirement
            ? requirement.name
            : requirement.kind,
      ),
    ]);
    expect(brief).toEqual(
      expect.arrayContaining([
        ['GET /outside', 'open by path', false],
        ['GET /outside/token', 'token', true],
        ['POST /v1/api/auth/login', 'open by @Public', true],
        ['GET /v1/notes', 'token', true, 'reader'],
        ['GET /v1/notes/any', 'token', true, 'reader', 'note:write,note:read'],
        ['GET /v1/notes/slow/:id', 'token', true, 'reader', 'note:write', 'SlowPolicy'],
      ]),
    );
    expect(routes.map(({ path }) => path)).toEqual(routes.map(({ path }) => path).sort());
  });
});

describe('start-up', () => {
  const attempt = (options: KitAuthOptions, types: Type[], providers: Provider[] = policies) =>
    testApp({ options, controllers: types, providers });

  it('fails with requireDecision and names the routes that have no decision', async () => {
    const strict = { access: { requireDecision: true } };
    @Controller()
    class UndecidedController {
      @Get('v1/undecided') inside() {}
      @Get('health') outside() {}
    }
    await attempt(strict, [NotesController, PublicController]);
    await attempt({ ...strict, whiteList: ['/v1/undecided', '/health'] }, [UndecidedController]);
    await expect(attempt(strict, [UndecidedController, NotesController])).rejects.toMatchObject({
      name: 'IllegalStateException',
      message: expect.stringMatching(
        /^kit\.auth\.access\.requireDecision is true .*: GET \/v1\/undecided, GET \/health\./,
      ),
    });
  });

  it.each<[string, Provider[]]>([
    ['is not provided', [SlowPolicy, BrokenPolicy]],
    ['is request-scoped', [...policies, { provide: OwnPolicy, useClass: OwnPolicy, scope: Scope.REQUEST }]],
  ])('fails if a policy %s', async (_what, providers) => {
    await expect(attempt({}, [NotesController], providers)).rejects.toThrow('@Authorize(OwnPolicy)');
  });

  it('fails if a route is public and has requirements', async () => {
    @Controller('v1/both')
    class BothController {
      @Get() @Public() @RequireRoles('reader') get() {}
    }
    await expect(attempt({}, [BothController])).rejects.toThrow('BothController: get is @Public() and asks');
  });
});
