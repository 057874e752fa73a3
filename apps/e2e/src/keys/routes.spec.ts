import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  All,
  Controller,
  Delete,
  Get,
  Injectable,
  Module,
  Param,
  Patch,
  Post,
  Req,
  type Type,
} from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import {
  type AuthPolicy,
  Authorize,
  type KitAuthOptions,
  type LoginUser,
  Public,
  RequireFresh,
  RequirePermissions,
  RequireRoles,
  RequireToken,
  type RouteAccess,
  RouteAccessReport,
} from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { AllowKeys } from 'kit-auth-keys';
import { BOTH, pairsOf, sharedTestApp } from 'test-support';
import { KEY } from '../factors/app.js';
import { KeysApp } from './app.js';

@Injectable()
class Agrees implements AuthPolicy {
  can({ roles }: LoginUser) {
    return roles.length === 0; // as a key has it
  }
}

@Injectable()
class Refuses implements AuthPolicy {
  can() {
    return false;
  }
}

const METHODS = { ALL: All, DELETE: Delete, GET: Get, PATCH: Patch, POST: Post };

/** A controller with one handler for each line such as `GET more`. */
function controllerOf(
  path: string,
  routes: Record<string, MethodDecorator[]>,
  ...decorators: ClassDecorator[]
): Type {
  class Routes {}
  for (const [line, own] of Object.entries(routes)) {
    const [method, target] = line.split(' ') as [keyof typeof METHODS, string | undefined];
    Reflect.set(Routes.prototype, line, () => 1);
    const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, line)!;
    [METHODS[method](target), ...own].forEach((decorate) => decorate(Routes.prototype, line, descriptor));
  }
  [Controller(path), ...decorators].forEach((decorate) => decorate(Routes));
  return Routes;
}

const READ = RequirePermissions('note:read');
const BEYOND = RequirePermissions('user:read');
const EDITOR = RequireRoles('editor');

const AllowedController = controllerOf(
  'v1/allowed',
  { GET: [], 'DELETE :id': [], 'GET role': [EDITOR], 'GET more': [BEYOND] },
  AllowKeys(),
);

/** Inherits what its base class allows. */
@Controller('v1/inherited')
class InheritedController extends AllowedController {}

const CONTROLLERS = [
  controllerOf('v1/plain', {
    GET: [],
    'ALL all': [],
    'GET public': [Public()],
    'GET listed': [],
    'GET token': [RequireToken()],
    'GET policy': [Authorize(Agrees)],
    'GET fresh': [RequireFresh()],
  }),
  controllerOf('v1/asking', {
    GET: [READ],
    POST: [RequirePermissions('note:read', 'note:write')],
    'GET any': [RequirePermissions('note:read', 'user:read', { mode: 'any' })],
    'GET more': [RequirePermissions('note:read', 'user:read')],
    'GET none': [RequirePermissions('user:read', 'user:write', { mode: 'any' })],
    'GET role': [READ, EDITOR],
    'GET roles': [RequireRoles('editor', 'chief', { mode: 'any' })],
    'GET fresh': [READ, RequireFresh()],
    'GET token': [READ, RequireToken()],
    'GET policy': [READ, Authorize(Agrees)],
    'GET refused': [READ, Authorize(Refuses)],
  }),
  controllerOf(
    'v1/class',
    { GET: [], 'PATCH :id': [RequirePermissions('user:write')], 'GET public': [Public()] },
    READ,
  ),
  controllerOf('v1/staff', { GET: [], 'GET notes': [READ], 'GET keys': [AllowKeys()] }, EDITOR),
  controllerOf('v1/allowing', {
    GET: [AllowKeys()],
    'GET token': [AllowKeys(), RequireToken()],
    'GET permission': [AllowKeys(), READ],
    'GET more': [AllowKeys(), BEYOND],
    'GET role': [AllowKeys(), EDITOR],
    'GET fresh': [AllowKeys(), RequireFresh()],
    'GET policy': [AllowKeys(), Authorize(Agrees)],
    'GET refused': [AllowKeys(), Authorize(Refuses)],
  }),
  AllowedController,
  InheritedController,
  controllerOf('outside', {
    GET: [],
    'GET permission': [READ],
    'GET token': [RequireToken()],
    'GET keys': [AllowKeys(), RequireToken()],
  }),
  controllerOf(':tenant/files', { 'GET :name': [], 'GET :name/notes': [READ] }),
];

@Module({ controllers: CONTROLLERS, providers: [Agrees, Refuses] })
class RepresentativeModule {}

const PROTECTS: Record<string, KitAuthOptions> = {
  'by path': {},
  'of everything': { protect: ['/**'] },
  'of what is decorated': { protect: 'decorated' },
};

/** What keys may call wherever `protect` reaches, or how they are refused there: a change here is a change of the contract. */
const FOR_KEYS: Record<string, 'passes' | number> = {
  'DELETE /v1/allowed/:id': 'passes',
  'GET /v1/allowed': 'passes',
  'GET /v1/allowed/more': 40304,
  'GET /v1/allowing': 'passes',
  'GET /v1/allowing/more': 40304,
  'GET /v1/allowing/permission': 'passes',
  'GET /v1/allowing/policy': 'passes',
  'GET /v1/allowing/refused': 40300,
  'GET /v1/allowing/token': 'passes',
  'GET /v1/asking': 'passes',
  'GET /v1/asking/any': 'passes',
  'GET /v1/asking/more': 40304,
  'GET /v1/asking/none': 40304,
  'GET /v1/asking/policy': 'passes',
  'GET /v1/asking/refused': 40300,
  'GET /v1/asking/token': 'passes',
  'POST /v1/asking': 'passes',
  'GET /v1/class': 'passes',
  'PATCH /v1/class/:id': 40304,
  'DELETE /v1/inherited/:id': 'passes',
  'GET /v1/inherited': 'passes',
  'GET /v1/inherited/more': 40304,
  'GET /v1/notes': 'passes',
  'POST /v1/notes': 'passes',
  'GET /outside/keys': 'passes',
  'GET /outside/permission': 'passes',
  'GET /:tenant/files/:name/notes': 'passes',
};
/** Without `protect`, these are open to everybody. */
const ONLY_BY_PATH = /^(?:DELETE|GET) \/v1\/(?:allowed|inherited)(?:\/:id)?$|^GET \/v1\/allowing$/;

const lineOf = ({ method, path }: RouteAccess) => `${method} ${path}`;

describe.each(pairsOf(BOTH, Object.keys(PROTECTS)))(
  'what API keys may call on %s, with protection %s',
  (platform, name) => {
    const options = PROTECTS[name]!;
    const app = sharedTestApp(
      new KeysApp({
        platform,
        options: { ...options, whiteList: ['/v1/plain/listed'] },
        imports: [KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' }), RepresentativeModule],
      }),
    );
    let key: string;
    let chiefs: string;
    let routes: RouteAccess[];
    const report = () => app.get(RouteAccessReport).routes();
    const isDecorated = options.protect === 'decorated';

    beforeAll(async () => {
      await app.role({ code: 'editor', permissions: ['note:*'] });
      const owner = await app.user({ roles: ['editor'] });
      key = (await app.newKey(await app.tokenOf(owner), { abilities: ['note:*'] })).key;
      chiefs = (await app.newKey(await app.adminToken(), { abilities: ['*'] })).key;
      routes = report();
    });

    /** Calls a route with values for its parameters. */
    const call = async ({ method, path }: RouteAccess, token: string | undefined) => {
      const { status, json } = await app.request(path.replace(':tenant', 'v1').replace(/:\w+/g, '7'), {
        method: method === 'ALL' ? 'GET' : method,
        token,
        json: {},
      });
      return (json?.code as number | undefined) ?? status;
    };

    it('is in the report', () => {
      const expected = Object.keys(FOR_KEYS).filter((line) => !isDecorated || !ONLY_BY_PATH.test(line));
      const reported = routes.filter(({ credentials }) => credentials !== undefined);
      expect(reported.map(lineOf).sort()).toEqual(expected.toSorted());
      expect(new Set(reported.flatMap(({ credentials }) => credentials))).toEqual(new Set(['api-key']));
    });

    it('is what the report says, route by route', async () => {
      const wrong: unknown[] = [];
      for (const route of routes) {
        const code = await call(route, key);
        const isOpen = route.decision.startsWith('open');
        const isAllowed = route.credentials?.includes('api-key') === true;
        const expected = isAllowed ? FOR_KEYS[lineOf(route)] : isOpen ? 'passes' : 40304;
        const isAsExpected =
          expected === 'passes'
            ? ![401, 403].includes(Math.floor(code / 100)) && code < 1000
            : code === expected;
        // Open endpoints of ours have answers of their own, such as 40000 for this body.
        const isOursAndOpen =
          isOpen && route.path.startsWith('/v1/api/auth/') && ![40300, 40304].includes(code);
        if (!isAsExpected && !isOursAndOpen) {
          wrong.push([lineOf(route), route.decision, route.credentials, code]);
        }
      }
      expect(wrong).toEqual([]);
      expect(routes.length).toBeGreaterThan(60);
    });

    it('is no endpoint of ours, also not with the key of a super administrator', async () => {
      const ours = routes.filter(
        ({ path, decision }) => path.startsWith('/v1/api/auth/') && decision === 'token',
      );
      const codes = await Promise.all(ours.map(async (route) => [lineOf(route), await call(route, chiefs)]));
      expect(codes.filter(([, code]) => code !== 40304)).toEqual([]);
      expect(ours.map(lineOf)).toEqual(
        expect.arrayContaining([
          'GET /v1/api/auth/me',
          'POST /v1/api/auth/logout',
          'POST /v1/api/auth/password',
          'GET /v1/api/auth/sessions',
          'POST /v1/api/auth/keys',
          'GET /v1/api/auth/factors',
          'POST /v1/api/auth/fresh',
          'GET /v1/api/auth/users',
        ]),
      );
      for (const path of ['/v1/staff', '/v1/asking/roles', '/v1/asking/role', '/v1/staff/keys']) {
        expect([path, await app.codeOf(chiefs, path)]).toEqual([path, 40304]);
      }
    });

    it('are open routes as anybody, and none that only a cookie, a query or a body names', async () => {
      for (const path of ['/v1/plain/public', '/v1/plain/listed', '/v1/class/public']) {
        expect([path, await app.codeOf(key, path)]).toEqual([path, 200]);
      }
      const path = '/v1/asking';
      expect(await app.codeOf(undefined, `${path}?token=${key}&access_token=${key}&key=${key}`)).toBe(40100);
      for (const name of ['token', '__Host-kit-auth', 'Authorization', 'key']) {
        expect((await app.request(path, { headers: [`Cookie: ${name}=${key}`] })).json.code).toBe(40100);
      }
      for (const line of [`X-Api-Key: ${key}`, `Authorization: ${key}`, `Authorization: Basic ${key}`]) {
        expect((await app.request(path, { headers: [line] })).json.code).toBe(40100);
      }
      const json = { token: key, access_token: key };
      expect((await app.request(path, { method: 'POST', json })).json.code).toBe(40100);
    });
  },
);

describe('handlers that are found in other ways', () => {
  const handlers = {
    plain: () => 1,
    notes: READ,
    users: BEYOND,
    staff: EDITOR,
    allowed: AllowKeys(),
  } as Record<string, MethodDecorator>;
  class Resolver {}
  for (const [name, decorate] of Object.entries(handlers)) {
    Reflect.set(Resolver.prototype, name, () => name);
    decorate(Resolver.prototype, name, Object.getOwnPropertyDescriptor(Resolver.prototype, name)!);
  }

  /** Stands for a GraphQL server, which calls resolvers like this. */
  @Controller('v1/graphql')
  @Public()
  class GraphController {
    constructor(private readonly contexts: ExternalContextCreator) {}

    @Get(':name')
    run(@Req() req: unknown, @Param('name') name: string) {
      const resolver = new Resolver();
      const handler = Reflect.get(resolver, name) as () => unknown;
      const args = [resolver, handler, name, '', undefined, undefined, undefined] as const;
      return this.contexts.create(...args, undefined, 'graphql')(undefined, {}, { req });
    }
  }

  @Controller('v1/reports')
  class ReportsController {
    constructor() {
      this.secret = { open: () => 'secret' }.open;
    }

    @Get('open')
    @AllowKeys()
    open() {
      return 'open';
    }

    @Get('secret')
    secret() {
      return 'secret';
    }
  }

  const app = sharedTestApp(new KeysApp({ controllers: [GraphController, ReportsController] }));
  let key: string;
  beforeAll(async () => {
    const owner = await app.user({ roles: [await app.role({ code: 'editor', permissions: ['note:*'] })] });
    key = (await app.newKey(await app.tokenOf(owner))).key;
  });

  it('can be called with a key as a route can, for example by GraphQL', async () => {
    const codes = await Promise.all(
      Object.keys(handlers).map((name) => app.codeOf(key, `/v1/graphql/${name}`)),
    );
    expect(codes).toEqual([40304, 200, 40304, 40304, 200]);
  });

  it('stay closed to keys if they take the name of one with @AllowKeys()', async () => {
    expect(await app.codeOf(key, '/v1/reports/open')).toBe(200);
    expect(await app.codeOf(key, '/v1/reports/secret')).toBe(40304);
  });
});
