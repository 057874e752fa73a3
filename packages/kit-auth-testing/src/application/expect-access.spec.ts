import { AssertionError } from 'node:assert';
import { describe, expect, it } from '@jest/globals';
import {
  All,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Injectable,
  NotFoundException,
  Patch,
  Post,
  Version,
  VersioningType,
} from '@nestjs/common';
import {
  AUTH_EVENT_SINK,
  type AuthPolicy,
  Authorize,
  KitAuthContext,
  type LoginUser,
  Public,
  RequireFresh,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from 'kit-auth';
import { BOTH, sharedTestApp, testApp } from 'test-support';
import { actingAs, expectAccess, type TestUser } from '../index.js';

@Injectable()
class OwnNote implements AuthPolicy {
  constructor(private readonly context: KitAuthContext) {}

  async can(user: LoginUser, context: ExecutionContext) {
    const { params } = context.switchToHttp().getRequest<{ params: { owner: string } }>();
    if (params.owner === 'nobody') {
      throw new NotFoundException();
    }
    return params.owner === user.username && this.context.get() === user;
  }
}

@Controller('v1/notes')
class NotesController {
  @Get() list() {}
  @Public() @Get('published') published() {}
  @Post() @RequirePermissions('note:write') create() {}

  @Patch()
  @RequireRoles('editor', 'author', { mode: 'any' })
  @RequirePermissions('note:write')
  update() {}
  @Delete(':owner') @RequireRoles('editor') @Authorize(OwnNote) remove() {}
  @All('any') any() {}
  @Delete() @RequireRoles('editor') @RequireFresh('5m') clear() {}
}

@Controller()
class OtherController {
  @Get('health') health() {}
  @Get('v1/files/:name') file() {}
  @Get('account') @RequireToken() account() {}
  @Get('v1/both') @RequireRoles('editor') one() {}
  @Version('2') @Get('v1/both') two() {}
}

const events: unknown[] = [];
const headers = ['X-Version: 1'];

describe.each(BOTH)('expectAccess on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    controllers: [NotesController, OtherController],
    providers: [
      OwnNote,
      { provide: AUTH_EVENT_SINK, useValue: { keep: async (event: unknown) => void events.push(event) } },
    ],
    options: { whiteList: ['/v1/files/public-*'] },
    configure: (nest) =>
      nest.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version', defaultVersion: '1' }),
  });
  const access = () => expectAccess(app.nest);

  const users: TestUser[] = [
    {},
    { roles: ['editor'] },
    { roles: ['author'] },
    { permissions: ['note:write'] },
    { roles: ['author'], permissions: ['note:*'] },
    { superAdmin: true },
    { superAdmin: true, mustChangePassword: true },
  ];
  const routes = [
    'GET /v1/notes',
    'GET /v1/notes/published',
    'POST /v1/notes',
    'PATCH /v1/notes',
    'GET /health',
    'GET /account',
    'GET /v1/api/auth/me',
    'PUT /v1/notes/any',
    'HEAD /v1/notes/any',
  ];

  describe.each(routes)('%s', (route) => {
    it('says what the guard does', async () => {
      const [method, path] = route.split(' ') as [string, string];
      const without = await app.request(path, { method, headers });
      access().of(route)[without.status === 401 ? 'needsToken' : 'isPublic']();
      expect(() => access().of(route)[without.status === 401 ? 'isPublic' : 'needsToken']()).toThrow();
      for (const user of users) {
        const { token } = await actingAs(app.nest, user);
        const { status } = await app.request(path, { method, token, headers });
        access().of(route)[status === 403 ? 'denies' : 'allows'](user);
        expect(() => access().of(route)[status === 403 ? 'allows' : 'denies'](user)).toThrow(AssertionError);
      }
    });
  });

  it('asks policies about a request', async () => {
    const remove = access().of('DELETE /v1/notes/:owner');
    const ada = { username: 'ada', roles: ['editor'] };
    await remove.allows(ada, { params: { owner: 'ada' } });
    await remove.denies(ada, { params: { owner: 'bob' } });
    await remove.denies({ username: 'ada' }, { params: { owner: 'ada' } });
    await expect(remove.allows(ada, { params: { owner: 'bob' } })).rejects.toThrow(
      "DELETE /v1/notes/:owner should allow { username: 'ada', roles: [ 'editor' ] }, but does not: The user may not " +
        'do this: OwnNote.\nDELETE /v1/notes/:owner (NotesController.remove): token; role editor; policy OwnNote',
    );
    await expect(remove.denies(ada, { params: { owner: 'nobody' } })).rejects.toThrow(
      'could not be decided: a policy threw NotFoundException: Not Found',
    );
  });

  it('shows a policy the user of the request that the test gives, and by default the user', async () => {
    @Injectable()
    class EntityPolicy implements AuthPolicy {
      can({ username }: LoginUser, context: ExecutionContext) {
        const { user } = context.switchToHttp().getRequest<{ user: { id?: number; username?: string } }>();
        return user.id === 7 || user.username === username;
      }
    }
    @Controller('v1/entities')
    class EntityController {
      @Get() @Authorize(EntityPolicy) list() {}
    }
    const other = await testApp({ platform, controllers: [EntityController], providers: [EntityPolicy] });
    const route = expectAccess(other.nest).of('GET /v1/entities');
    await route.allows({}, {});
    await route.allows({}, { user: { id: 7 } });
    await route.denies({}, { user: { id: 8 } });
  });

  it('says that a policy needs a request, unless roles or permissions are missing', () => {
    const remove = access()
      .of('DELETE /v1/notes/:owner')
      .denies({ roles: ['reader'] });
    const message =
      "asks the policy OwnNote, which judges requests: pass the parts that it reads, for example { params: { id: '1' } }";
    expect(() => remove.allows({ roles: ['editor'] })).toThrow(message);
    expect(() => remove.denies({ superAdmin: true })).toThrow(message);
    expect(() => remove.allows({ roles: ['reader'] })).toThrow(
      'but does not: The user lacks the role editor',
    );
  });

  it('points at the line of the test', async () => {
    const failures = [
      () => access().of('GET /v1/nope'),
      () => access().of('GET /v1/notes').isPublic(),
      () => access().of('GET /health').needsToken(),
      () => access().of('POST /v1/notes').allows({}),
      () => access().of('GET /v1/notes').denies({}),
      () => access().of('GET /v1/notes').denies({}, {}),
    ];
    for (const fail of failures) {
      const error = await (async () => fail())().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(AssertionError);
      const { stack, message } = error as AssertionError;
      expect(stack?.replace(message, '').split('\n')[1]).toContain('expect-access.spec.ts');
    }
  });

  it('asks for a path where the route alone does not decide', () => {
    const file = access().of('GET /v1/files/:name').allows({});
    file.isPublic({ url: '/v1/files/public-1' }).needsToken({ url: '/v1/files/secret' });
    expect(() => file.isPublic()).toThrow(
      "GET /v1/files/:name is decided by the path of the request: pass one, { url: '/v1/...' }",
    );
  });

  it('asserts for all versions of a route', () => {
    const both = access()
      .of('GET /v1/both')
      .allows({ roles: ['editor'] });
    expect(() => both.allows({})).toThrow('(OtherController.one): token; role editor');
    expect(() => both.denies({})).toThrow('(OtherController.two): token');
  });

  it('names the most similar routes for an unknown one', () => {
    expect(() => access().of('GET /v1/notse')).toThrow(
      /^The application has no route GET \/v1\/notse\. The most similar routes:\n {2}GET \/v1\/notes\n/,
    );
    expect(() => access().of('DELETE /v1/notes/7')).toThrow('\n  DELETE /v1/notes/:owner\n');
    expect(() => access().of('/v1/notes')).toThrow(
      /^"\/v1\/notes" is not a route: write method and path, for example "GET \/v1\/notes"\. The most similar routes:\n {2}GET \/v1\/notes\n/,
    );
    access().of('get /v1/notes/').needsToken();
  });

  it('asserts that a route requires a fresh login, which other assertions assume', () => {
    access()
      .of('DELETE /v1/notes')
      .needsFreshLogin()
      .allows({ roles: ['editor'] })
      .denies({});
    expect(() => access().of('GET /v1/notes').needsFreshLogin()).toThrow(
      'GET /v1/notes should require a fresh login, but does not.\nGET /v1/notes',
    );
    expect(() =>
      access()
        .of('DELETE /v1/notes')
        .denies({ roles: ['editor'] }),
    ).toThrow('fresh login (any factor, last 5 minutes)');
  });

  it('publishes no events', async () => {
    await Promise.resolve();
    events.length = 0;
    access().of('POST /v1/notes').denies({});
    await access().of('DELETE /v1/notes/:owner').denies({}, {});
    expect(events).toEqual([]);
  });
});

describe('expectAccess', () => {
  const app = sharedTestApp({ options: { enabled: false } });

  it('refuses an application without authentication', () => {
    expect(() => expectAccess(app.nest)).toThrow('kit.auth.enabled is false in this application');
  });

  it.each([
    [['/**'] as const, 'needsToken' as const],
    ['decorated' as const, 'isPublic' as const],
  ])('follows protect: %j', async (protect, expected) => {
    const other = await testApp({ controllers: [OtherController], options: { protect } });
    const access = expectAccess(other.nest);
    access.of('GET /health')[expected]();
    access.of('GET /account').needsToken();
  });
});
