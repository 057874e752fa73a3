import { beforeAll, describe, expect, it } from '@jest/globals';
import { All, Controller, Delete, Get, Injectable, Module, Param, Patch, Post, Req } from '@nestjs/common';
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
import { BOTH, sharedTestApp } from 'test-support';
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

@Controller('v1/plain')
class PlainController {
  @Get()
  get() {
    return 1;
  }

  @All('all')
  all() {
    return 1;
  }

  @Get('public')
  @Public()
  open() {
    return 1;
  }

  @Get('listed')
  listed() {
    return 1;
  }

  @Get('token')
  @RequireToken()
  token() {
    return 1;
  }

  @Get('policy')
  @Authorize(Agrees)
  policy() {
    return 1;
  }

  @Get('fresh')
  @RequireFresh()
  fresh() {
    return 1;
  }
}

@Controller('v1/asking')
class AskingController {
  @Get()
  @RequirePermissions('note:read')
  one() {
    return 1;
  }

  @Post()
  @RequirePermissions('note:read', 'note:write')
  all() {
    return 1;
  }

  @Get('any')
  @RequirePermissions('note:read', 'user:read', { mode: 'any' })
  any() {
    return 1;
  }

  @Get('more')
  @RequirePermissions('note:read', 'user:read')
  more() {
    return 1;
  }

  @Get('none')
  @RequirePermissions('user:read', 'user:write', { mode: 'any' })
  none() {
    return 1;
  }

  @Get('role')
  @RequirePermissions('note:read')
  @RequireRoles('editor')
  role() {
    return 1;
  }

  @Get('roles')
  @RequireRoles('editor', 'chief', { mode: 'any' })
  roles() {
    return 1;
  }

  @Get('fresh')
  @RequirePermissions('note:read')
  @RequireFresh()
  fresh() {
    return 1;
  }

  @Get('token')
  @RequirePermissions('note:read')
  @RequireToken()
  token() {
    return 1;
  }

  @Get('policy')
  @RequirePermissions('note:read')
  @Authorize(Agrees)
  policy() {
    return 1;
  }

  @Get('refused')
  @RequirePermissions('note:read')
  @Authorize(Refuses)
  refused() {
    return 1;
  }
}

@Controller('v1/class')
@RequirePermissions('note:read')
class ClassController {
  @Get()
  get() {
    return 1;
  }

  @Patch(':id')
  @RequirePermissions('user:write')
  more(@Param('id') id: string) {
    return id;
  }

  @Get('public')
  @Public()
  open() {
    return 1;
  }
}

@Controller('v1/staff')
@RequireRoles('editor')
class StaffController {
  @Get()
  get() {
    return 1;
  }

  @Get('notes')
  @RequirePermissions('note:read')
  notes() {
    return 1;
  }

  @Get('keys')
  @AllowKeys()
  keys() {
    return 1;
  }
}

@Controller('v1/allowing')
class AllowingController {
  @Get()
  @AllowKeys()
  get() {
    return 1;
  }

  @Get('token')
  @AllowKeys()
  @RequireToken()
  token() {
    return 1;
  }

  @Get('permission')
  @AllowKeys()
  @RequirePermissions('note:read')
  permission() {
    return 1;
  }

  @Get('more')
  @AllowKeys()
  @RequirePermissions('user:read')
  more() {
    return 1;
  }

  @Get('role')
  @AllowKeys()
  @RequireRoles('editor')
  role() {
    return 1;
  }

  @Get('fresh')
  @AllowKeys()
  @RequireFresh()
  fresh() {
    return 1;
  }

  @Get('policy')
  @AllowKeys()
  @Authorize(Agrees)
  policy() {
    return 1;
  }

  @Get('refused')
  @AllowKeys()
  @Authorize(Refuses)
  refused() {
    return 1;
  }
}

@AllowKeys()
@Controller('v1/allowed')
class AllowedController {
  @Get()
  get() {
    return 1;
  }

  @Delete(':id')
  remove(@Param('id') id: string) {
    return id;
  }

  @Get('role')
  @RequireRoles('editor')
  role() {
    return 1;
  }

  @Get('more')
  @RequirePermissions('user:read')
  more() {
    return 1;
  }
}

/** Inherits what its base class allows. */
@Controller('v1/inherited')
class InheritedController extends AllowedController {}

@Controller('outside')
class OutsideController {
  @Get()
  get() {
    return 1;
  }

  @Get('permission')
  @RequirePermissions('note:read')
  permission() {
    return 1;
  }

  @Get('token')
  @RequireToken()
  token() {
    return 1;
  }

  @Get('keys')
  @AllowKeys()
  @RequireToken()
  keys() {
    return 1;
  }
}

@Controller(':tenant/files')
class FilesController {
  @Get(':name')
  get() {
    return 1;
  }

  @Get(':name/notes')
  @RequirePermissions('note:read')
  notes() {
    return 1;
  }
}

const CONTROLLERS = [
  PlainController,
  AskingController,
  ClassController,
  StaffController,
  AllowingController,
  AllowedController,
  InheritedController,
  OutsideController,
  FilesController,
];

@Module({ controllers: CONTROLLERS, providers: [Agrees, Refuses] })
class RepresentativeModule {}

const PROTECTS: Record<string, KitAuthOptions> = {
  'by path': {},
  everything: { protect: ['/**'] },
  'what is decorated': { protect: 'decorated' },
};

/** What keys may call wherever `protect` reaches: a change here is a change of the contract. */
const FOR_KEYS = [
  'DELETE /v1/allowed/:id',
  'GET /v1/allowed',
  'GET /v1/allowed/more',
  'GET /v1/allowing',
  'GET /v1/allowing/more',
  'GET /v1/allowing/permission',
  'GET /v1/allowing/policy',
  'GET /v1/allowing/refused',
  'GET /v1/allowing/token',
  'GET /v1/asking',
  'GET /v1/asking/any',
  'GET /v1/asking/more',
  'GET /v1/asking/none',
  'GET /v1/asking/policy',
  'GET /v1/asking/refused',
  'GET /v1/asking/token',
  'POST /v1/asking',
  'GET /v1/class',
  'PATCH /v1/class/:id',
  'DELETE /v1/inherited/:id',
  'GET /v1/inherited',
  'GET /v1/inherited/more',
  'GET /v1/notes',
  'POST /v1/notes',
  'GET /outside/keys',
  'GET /outside/permission',
  'GET /:tenant/files/:name/notes',
];
/** Without `protect`, these are open to everybody. */
const ONLY_BY_PATH = ['DELETE /v1/allowed/:id', 'GET /v1/allowed', 'GET /v1/allowing'];
/** What they are refused there: a permission that the key or its owner lacks, or a policy. */
const REFUSED: Record<string, number> = {
  'GET /v1/asking/more': 40304,
  'GET /v1/asking/none': 40304,
  'PATCH /v1/class/:id': 40304,
  'GET /v1/allowing/more': 40304,
  'GET /v1/allowed/more': 40304,
  'GET /v1/inherited/more': 40304,
  'GET /v1/asking/refused': 40300,
  'GET /v1/allowing/refused': 40300,
};

const lineOf = ({ method, path }: RouteAccess) => `${method} ${path}`;

describe.each(
  BOTH.flatMap((platform) =>
    Object.entries(PROTECTS).map(([name, options]) => ({ platform, name, options })),
  ),
)('what API keys may call on $platform, with protection of $name', ({ platform, options }) => {
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
    const expected = FOR_KEYS.filter((line) => !isDecorated || !isOpenWithoutPath(line));
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
      const expected = isAllowed ? (REFUSED[lineOf(route)] ?? 'passes') : isOpen ? 'passes' : 40304;
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

  function isOpenWithoutPath(line: string): boolean {
    return ONLY_BY_PATH.includes(line) || ['DELETE /v1/inherited/:id', 'GET /v1/inherited'].includes(line);
  }
});

describe('a resolver of GraphQL', () => {
  class Resolver {
    plain() {
      return 'plain';
    }

    @RequirePermissions('note:read')
    notes() {
      return 'notes';
    }

    @RequirePermissions('user:read')
    users() {
      return 'users';
    }

    @RequireRoles('editor')
    staff() {
      return 'staff';
    }

    @AllowKeys()
    allowed() {
      return 'allowed';
    }
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

  const app = sharedTestApp(new KeysApp({ controllers: [GraphController] }));

  it('can be called with a key as a route can', async () => {
    await app.role({ code: 'editor', permissions: ['note:*'] });
    const owner = await app.user({ roles: ['editor'] });
    const { key } = await app.newKey(await app.tokenOf(owner));
    const codes = await Promise.all(
      ['plain', 'notes', 'users', 'staff', 'allowed'].map((name) => app.codeOf(key, `/v1/graphql/${name}`)),
    );
    expect(codes).toEqual([40304, 200, 40304, 40304, 200]);
  });
});

describe('a handler that takes the name of one with @AllowKeys()', () => {
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

  const app = sharedTestApp(new KeysApp({ controllers: [ReportsController] }));

  it('stays closed to keys', async () => {
    await app.role({ code: 'editor', permissions: ['note:*'] });
    const owner = await app.user({ roles: ['editor'] });
    const { key } = await app.newKey(await app.tokenOf(owner));
    expect(await app.codeOf(key, '/v1/reports/open')).toBe(200);
    expect(await app.codeOf(key, '/v1/reports/secret')).toBe(40304);
  });
});
