import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
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
  IllegalStateException,
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
    const { id } = execution.switchToHttp().getRequest().params;
    return (id === 'truthy' ? 1 : id !== 'no') as boolean;
  }
}

@Controller('v1/notes')
@RequireRoles('reader')
class NotesController {
  @Get()
  list() {
    return { ok: true };
  }

  @Post()
  @RequirePermissions('note:write', 'note:publish')
  create() {
    return { ok: true };
  }

  @Get('any')
  @RequirePermissions('note:write', 'note:read', { mode: 'any' })
  either() {
    return { ok: true };
  }

  @Get('open')
  @Public()
  open() {
    return { ok: true };
  }

  @Get('own/:id')
  @Authorize(OwnPolicy)
  own() {
    return { ok: true };
  }

  @Get('slow/:id')
  @Authorize(SlowPolicy)
  @RequirePermissions('note:write')
  slow() {
    return { ok: true };
  }
}

@Controller('outside')
class OutsideController {
  @Get()
  free() {
    return { ok: true };
  }

  @Get('token')
  @RequireToken()
  token() {
    return { ok: true };
  }

  @Get('staff')
  @RequireRoles('editor', 'chief', { mode: 'any' })
  staff() {
    return { ok: true };
  }
}

@Public()
@Controller('v1/public')
class PublicController {
  @Get()
  free() {
    return { ok: true };
  }

  @Get('staff')
  @RequireRoles('editor')
  staff() {
    return { ok: true };
  }
}

const ALL = [NotesController, OutsideController, PublicController];

describe.each(EVERYWHERE)('access on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    options: { whiteList: ['/v1/notes/any'] },
    controllers: ALL,
    providers: [OwnPolicy, SlowPolicy],
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
    ['GET', '/v1/notes/slow/truthy', [401, 403, 403, 403, 403]],
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

  it('names the missing roles, permissions and policies', async () => {
    const ask = async (path: string, actor: string, method = 'GET') =>
      (await app.request(path, { method, token: tokens[actor] })).json;
    expect(await ask('/v1/notes', 'reader', 'POST')).toEqual({
      statusCode: 403,
      code: 40300,
      error: 'FORBIDDEN',
      message: 'The user lacks the permissions note:write, note:publish',
      missing: ['note:write', 'note:publish'],
    });
    expect((await ask('/outside/staff', 'reader')).message).toBe(
      'The user has none of the roles editor, chief',
    );
    expect((await ask('/v1/notes', 'plain')).missing).toEqual(['reader']);
    expect((await ask('/v1/notes/own/editor', 'reader')).missing).toEqual(['OwnPolicy']);
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
  const attempt = (
    options: KitAuthOptions,
    controllers: Type[],
    providers: Provider[] = [OwnPolicy, SlowPolicy],
  ) => testApp({ options, controllers, providers });

  it('fails with requireDecision and names the routes that have no decision', async () => {
    const strict = { access: { requireDecision: true } };
    @Controller()
    class UndecidedController {
      @Get('v1/undecided')
      inside() {}
      @Get('health')
      outside() {}
    }
    await attempt(strict, [NotesController, PublicController]);
    await expect(attempt(strict, ALL)).rejects.toThrow('GET /outside.');
    const error = await attempt(strict, [UndecidedController, NotesController]).catch(
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toContain('kit.auth.access.requireDecision');
    expect((error as Error).message).toContain('GET /v1/undecided, GET /health.');
    await attempt({ ...strict, whiteList: ['/v1/undecided'] }, [UndecidedController]).catch(
      (error: unknown) => expect((error as Error).message).not.toContain('/v1/undecided'),
    );
  });

  it('fails if a policy is not provided or is request-scoped', async () => {
    await expect(attempt({}, [NotesController], [])).rejects.toThrow('@Authorize(OwnPolicy)');
    const scoped = { provide: OwnPolicy, useClass: OwnPolicy, scope: Scope.REQUEST };
    await expect(attempt({}, [NotesController], [scoped, SlowPolicy])).rejects.toThrow(
      '@Authorize(OwnPolicy)',
    );
  });

  it('fails if a route is public and has requirements', async () => {
    @Controller('v1/both')
    class BothController {
      @Get()
      @Public()
      @RequireRoles('reader')
      get() {}
    }
    await expect(attempt({}, [BothController])).rejects.toThrow('BothController: get is @Public() and asks');
  });

  it('answers 500 without details when a policy throws', async () => {
    @Injectable()
    class BrokenPolicy implements AuthPolicy {
      can(): boolean {
        throw new Error('secret');
      }
    }
    @Controller('v1/broken')
    @Authorize(BrokenPolicy)
    class BrokenController {
      @Get()
      get() {
        throw new HttpException('reached', 299);
      }
    }
    const app = await attempt({}, [BrokenController], [BrokenPolicy]);
    const answer = await app.request('/v1/broken', { token: await app.adminToken() });
    expect([answer.status, JSON.stringify(answer.json).includes('secret')]).toEqual([500, false]);
  });
});
