import { beforeAll, describe, expect, it } from '@jest/globals';
import { All, Controller, Get, Param, Post, Query, type Type } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  CurrentUser,
  KitAuthContext,
  type KitAuthOptions,
  type LoginUser,
  type OptionalPaths,
  OptionalUser,
  Public,
  RequirePermissions,
  RequireRoles,
  RouteAccessReport,
} from 'kit-auth';
import { AllowKeys } from 'kit-auth-keys';
import { expectAccess } from 'kit-auth-testing';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import {
  type Answer,
  bearer,
  BOTH,
  EVERYWHERE,
  freezeDate,
  sharedTestApp,
  type TestApp,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { BrowserApp, OWN_PAGE, sentBack } from '../browser/app.js';
import { KeysApp } from '../keys/app.js';

const seen = (user: LoginUser | undefined) => ({ user: user?.username ?? null });

@Controller('v1/articles')
@OptionalUser()
class ArticlesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get() list(@CurrentUser() user?: LoginUser) {
    return { ...seen(user), scheme: this.context.principal()?.scheme ?? null };
  }
  @All('news') @OptionalUser({ invalid: 'anonymous' }) news(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
  @Get('about') @Public() about(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
  @Get('drafts') @RequireRoles('editor') drafts() {}
  @Get('own') @Public(false) own() {}
  @Get('required') required() {
    return this.context.getOrThrow();
  }
  @Get('keys') @AllowKeys() keys(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
  @Get('names/:name') named(@Param('name') name: string, @Query('fail') fail?: string) {
    if (fail !== undefined) {
      throw new AuthException(AuthErrorCode.NOT_FOUND);
    }
    return name;
  }
}

/** With patterns instead of decorators. */
@Controller()
class CatalogController {
  @Get('v1/catalog/:id/prices') @Public(false) prices() {}
  @Get(['v1/catalog', 'v1/catalog/:id', 'catalog']) get(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
}

@Controller()
class WritingController {
  @Post('written') write(@CurrentUser() user?: LoginUser) {
    return seen(user);
  }
}

const controllers = [ArticlesController, CatalogController];
const writing = [...controllers, WritingController];

describe.each(EVERYWHERE)('@OptionalUser() on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers });
  let token: string;
  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });

  it('has no user without a token', async () => {
    for (const header of ['X-Other: 1', 'Authorization: Basic YTpi', 'Authorization: Bearer']) {
      const { status, json, headers } = await app.request('/v1/articles', { headers: [header] });
      expect([status, json]).toEqual([200, { user: null, scheme: null }]);
      expect([headers['vary'], headers['cache-control']]).toEqual(['Authorization', undefined]);
    }
  });

  it('has the user of a valid token, and keeps the answer from shared caches', async () => {
    const { json, headers } = await app.request('/v1/articles', { token });
    const scheme = where.provider === 'jwt' ? 'jwt-stateless' : 'session-token';
    expect(json).toEqual({ user: 'ada', scheme });
    expect(headers).toMatchObject({ vary: 'Authorization', 'cache-control': 'private' });
  });

  it('refuses an invalid token, so that clients refresh it, unless the route says otherwise', async () => {
    for (const headers of [[bearer(`${token}x`)], [bearer(token), bearer(token)]]) {
      const refused = await app.request('/v1/articles', { headers });
      expect(refused).toMatchObject({
        status: 401,
        json: { code: 40101 },
        headers: { vary: 'Authorization', 'cache-control': 'no-store' },
      });
      expect((await app.request('/v1/articles/news', { headers })).json).toEqual({ user: null });
    }
    expect((await app.request('/v1/articles/news', { token })).json).toEqual({ user: 'ada' });
  });

  it('gives way to the decorators of a method', async () => {
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
    const pending = await app.tokenOf(await app.user({ mustChangePassword: true }));
    expect(await app.codeOf(pending, '/v1/articles')).toBe(40301);
    expect(await app.codeOf(pending, '/v1/articles/news')).toBe(40301);
  });
});

async function codesOf(app: TestApp, token?: string, paths = ['/v1/catalog', '/v1/catalog/7', '/catalog']) {
  const answers = await Promise.all(paths.map((path) => app.request(path, { token })));
  return answers.map(({ status, json }) => json?.code ?? json?.user ?? status);
}

describe('patterns of kit.auth.optional', () => {
  it.each(BOTH)('open the routes that they cover, and read their tokens, on %s', async (platform) => {
    const options = { optional: ['/v1/catalog/*', '/catalog'] };
    const app = await testApp({ platform, options, controllers });
    const token = await app.adminToken();
    expect(await codesOf(app)).toEqual([40100, 200, 200]);
    expect(await codesOf(app, token)).toEqual(['admin', 'admin', 'admin']);
    expect(await codesOf(app, 'wrong')).toEqual([40101, 40101, 40101]);
    const irregular = ['/v1/catalog/..%2fadmin', '/v1/catalog/a;b', '/v1/catalog/a%23b'];
    expect(await codesOf(app, undefined, irregular)).toEqual([40100, 40100, 40100]);
    expect(await codesOf(app, token, irregular)).toEqual(['admin', 'admin', 'admin']);
  });

  it.each<[KitAuthOptions, object]>([
    [
      { optional: ['/**'], whiteList: ['/v1/catalog'] },
      { nobody: [200, 200, 200], admin: [200, 'admin', 'admin'], wrong: [200, 40101, 40101] },
    ],
    [
      { protect: 'decorated', optional: ['/v1/**'], whiteList: ['/v1/catalog/7'] },
      { nobody: [200, 200, 200], admin: ['admin', 'admin', 200], wrong: [40101, 40101, 200] },
    ],
  ])('leave what decorators and other options decide: %j', async (options, expected) => {
    const app = await testApp({ options, controllers });
    const decided = ['/v1/api/auth/me', '/v1/articles/drafts', '/v1/catalog/7/prices'];
    expect(await codesOf(app, undefined, decided)).toEqual([40100, 40100, 40100]);
    expect({
      nobody: await codesOf(app),
      admin: await codesOf(app, await app.adminToken()),
      wrong: await codesOf(app, 'wrong'),
    }).toEqual(expected);
  });
});

describe('kit.auth.optional with more than paths', () => {
  const failing = (): boolean => {
    throw new Error('no database');
  };

  it.each(BOTH)('admits the requests that the application says, on %s', async (platform) => {
    const seenByWhen: string[] = [];
    const optional: OptionalPaths = {
      paths: ['/**'],
      when: ({ method, url, headers }) => {
        seenByWhen.push(`${method} ${url}`);
        return method === 'GET' && headers['x-closed'] === undefined;
      },
    };
    const app = await testApp({ platform, options: { protect: ['/**'], optional }, controllers: writing });
    const token = await app.adminToken();
    const sent = async (target: string, method: string, as?: string, ...headers: string[]) => {
      const { status, json } = await app.request(target, { method, token: as, headers });
      return json?.code ?? json?.user ?? status;
    };
    expect(await codesOf(app)).toEqual([200, 200, 200]);
    expect(seenByWhen).toEqual(['GET /v1/catalog', 'GET /v1/catalog/7', 'GET /catalog']);
    expect(await sent('/catalog', 'GET', undefined, 'X-Closed: 1')).toBe(40100);
    expect(await sent('/catalog', 'GET', token, 'X-Closed: 1')).toBe('admin');
    expect(await sent('/written', 'POST')).toBe(40100);
    expect(await sent('/written', 'POST', token)).toBe('admin');
    expect(await sent('/v1/catalog/a;b', 'GET')).toBe(40100);
    expect(await codesOf(app, 'wrong')).toEqual([40101, 40101, 40101]);
    const route = app
      .get(RouteAccessReport)
      .routes()
      .find(({ path }) => path === '/written');
    expect(route).toMatchObject({
      decision: 'token, or open by optional path',
      pattern: '/**',
      explicit: true,
    });
    const access = expectAccess(app.nest);
    access.of('POST /written').needsToken().hasOptionalUser();
    expect(app.logs.ours().filter((line) => line.startsWith('warn') && !line.includes('default'))).toEqual(
      [],
    );
  });

  it.each<[string, OptionalPaths['when'], unknown[]]>([
    [
      'throws',
      failing,
      [expect.stringContaining('the function kit.auth.optional.when failed: Error: no database')],
    ],
    ['returns a promise', (async () => true) as unknown as OptionalPaths['when'], []],
    ['returns something else', (() => 'yes') as unknown as OptionalPaths['when'], []],
  ])('needs a token where the function %s', async (_what, when, logged) => {
    const options = { protect: ['/x'], optional: { paths: ['/catalog'], ...(when && { when }) } };
    const app = await testApp({ options, controllers: writing });
    expect(await codesOf(app, undefined, ['/catalog'])).toEqual([40100]);
    expect(app.logs.ours().filter((line) => line.startsWith('error'))).toEqual(logged);
  });

  it('warns of routes that may change something, and names the option if nothing is protected', async () => {
    const app = await testApp({
      options: { protect: ['/**'], optional: ['/**'] },
      controllers: [WritingController],
    });
    const warnings = app.logs.ours().filter((line) => line.startsWith('warn'));
    expect(warnings).toContainEqual(expect.stringContaining('may change something: POST /written'));
    expect(warnings.join('\n')).not.toContain("such as protect: ['/**']");
  });
});

describe.each(EVERYWHERE)(
  'the cookie of a token that has ended, where it is optional, on $platform with $provider',
  (where) => {
    const CLEARED = ['__Host-kit-auth=', '__Host-kit-auth-remember='];
    const start = (optional: KitAuthOptions['optional'], more: TestAppOptions = {}) =>
      new BrowserApp(
        {},
        { ...where, controllers: writing, options: { protect: ['/**'], optional }, ...more },
      ).start();
    const outcome = ({ status, json, cookies }: Answer) => [
      json?.code ?? status,
      cookies.map((line) => /^([^=]+=);.*Max-Age=0$/.exec(line)?.[1]),
    ];

    it('is deleted with the refusal, so that the next request is admitted', async () => {
      const app = await start(['/**']);
      for (const value of ['forged', 'eyJhbGciOiJIUzI1NiJ9.e30.old']) {
        const stale = [`Cookie: __Host-kit-auth=${value}; __Host-kit-auth-remember=1`, OWN_PAGE];
        for (const [target, method] of [
          ['/catalog', 'GET'],
          ['/written', 'POST'],
        ] as const) {
          const refused = await app.request(target, { method, headers: stale });
          expect(outcome(refused)).toEqual([40101, CLEARED]);
          const next = await app.request(target, { method, headers: [OWN_PAGE] });
          expect(outcome(next)).toEqual([method === 'GET' ? 200 : 201, []]);
        }
      }
    });

    it('is deleted where the request is admitted without a user', async () => {
      const app = await start({ paths: ['/**'], invalid: 'anonymous' });
      const headers = ['Cookie: __Host-kit-auth=forged']; // of a browser that says nothing else
      for (const method of ['GET', 'POST']) {
        const own = method === 'POST' ? [OWN_PAGE] : [];
        const answer = await app.request(method === 'GET' ? '/catalog' : '/written', {
          method,
          headers: [...headers, ...own],
        });
        expect([answer.json, answer.cookies]).toEqual([
          { user: null },
          ['__Host-kit-auth=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0'],
        ]);
      }
      expect((await app.request('/v1/articles/news', { headers })).cookies).toHaveLength(1);
    });

    it('stays where a page of another site sends it, where it comes twice, and where the route needs a token', async () => {
      const app = await start(['/**']);
      const forged = 'Cookie: __Host-kit-auth=forged';
      const crossSite = { method: 'POST', headers: [forged, 'Sec-Fetch-Site: cross-site'] };
      expect(outcome(await app.request('/written', crossSite))).toEqual([40302, []]);
      expect(outcome(await app.request('/catalog', { headers: [forged, forged] }))).toEqual([40101, []]);
      expect(outcome(await app.request('/v1/articles/drafts', { headers: [forged] }))).toEqual([40101, []]);
      const token = await app.adminToken();
      expect(outcome(await app.request('/catalog', { token, headers: [forged] }))).toEqual([200, []]);
    });
  },
);

it('the cookie of an expired token stays beside a refresh token, which renews it', async () => {
  const pass = freezeDate(1_900_000_000_000);
  const options = { protect: ['/**'], optional: ['/**'], jwt: { expireMinutes: 10 } };
  const app = await new BrowserApp({}, { options, controllers, imports: [KitAuthRefreshModule] }).start();
  const { username } = await app.user();
  const cookie = sentBack(await app.login(username, undefined, OWN_PAGE));
  pass(3_600_000);
  const refused = await app.request('/catalog', { headers: [`Cookie: ${cookie}`] });
  expect([refused.json.code, refused.json.reason, refused.cookies]).toEqual([40101, 'expired', []]);
  const [access] = cookie.split('; ');
  expect((await app.request('/catalog', { headers: [`Cookie: ${access}`] })).cookies).toHaveLength(1);
});

describe.each(BOTH)('an optional user on %s', (platform) => {
  class Articles {}
  const imports = [{ module: Articles, controllers: [ArticlesController] }];

  it('comes from the cookie, by the origin rule of protected routes', async () => {
    const app = await new BrowserApp({}, { platform, imports }).start();
    const cookie = `Cookie: ${await app.cookieOf(await app.user({ username: 'ada' }))}`;
    const { json, headers } = await app.request('/v1/articles', { headers: [cookie] });
    expect(json.user).toBe('ada');
    expect(headers).toMatchObject({ vary: 'Authorization, Cookie', 'cache-control': 'private' });

    const post = async (...lines: string[]) =>
      (await app.request('/v1/articles/news', { method: 'POST', headers: lines })).json;
    expect(await post(cookie, OWN_PAGE)).toEqual({ user: 'ada' });
    expect(await post(cookie, 'Sec-Fetch-Site: cross-site')).toMatchObject({ code: 40302 });
    expect(await post('Sec-Fetch-Site: cross-site')).toEqual({ user: null });
  });

  it('leaves the Vary of the application', async () => {
    const configure = (nest: TestApp['nest']) =>
      nest.enableCors({ origin: ['https://a.test', 'https://b.test'] });
    const app = await testApp({ platform, controllers, configure });
    for (const [query, status] of [
      ['', 200],
      ['?fail=1', 404],
    ] as const) {
      const answer = await app.request(`/v1/articles/names/a${query}`, {
        headers: ['Origin: https://a.test'],
      });
      expect([answer.status, answer.headers['vary']]).toEqual([status, 'Origin, Authorization']);
    }
  });

  it('may come from an API key on routes that admit keys', async () => {
    const app = await new KeysApp({ platform, imports }).start();
    const { key } = await app.newKey(await app.adminToken());
    expect((await app.request('/v1/articles/keys', { token: key })).json).toEqual({ user: 'admin' });
    expect(await app.codeOf(key, '/v1/articles')).toBe(40304);
    expect(await app.codeOf(`${key}x`, '/v1/articles/keys')).toBe(40101);
  });
});

describe('what is known of an optional user', () => {
  const app = sharedTestApp({ options: { optional: ['/catalog'] }, controllers });

  it('is in the route report, and causes no warning', () => {
    const routes = app.get(RouteAccessReport).routes();
    const of = (path: string) => routes.find((route) => route.path === path);
    const decision = 'open by @OptionalUser';
    expect(of('/v1/articles')).toMatchObject({ decision, invalid: 'refuse', explicit: true });
    expect(of('/v1/articles/news')).toMatchObject({ invalid: 'anonymous' });
    expect(of('/catalog')).toMatchObject({ decision: 'open by optional path', pattern: '/catalog' });
    const warnings = app.logs.ours().filter((line) => line.startsWith('warn') && !line.includes('default'));
    expect(warnings).toEqual([]);
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
});

describe('an optional user beside something else', () => {
  @Controller('v1/both')
  class MethodController {
    @Get() @OptionalUser() @RequirePermissions('note:read') get() {}
  }
  @Controller('v1/both')
  @OptionalUser()
  @RequireRoles('editor')
  class ClassController {
    @Get() get() {}
  }

  it.each<[string, Type]>([
    ['MethodController: get is @OptionalUser() and asks for', MethodController],
    ['ClassController is @OptionalUser() and asks for', ClassController],
  ])('ends start-up: %s', async (message, controller) => {
    await expect(testApp({ controllers: [controller] })).rejects.toMatchObject({
      name: 'IllegalStateException',
      message: expect.stringContaining(message),
    });
  });
});
