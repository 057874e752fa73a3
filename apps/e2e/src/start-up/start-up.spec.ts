import { describe, expect, it, jest } from '@jest/globals';
import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Injectable,
  type Provider,
  Scope,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { NestFactory, REQUEST } from '@nestjs/core';
import {
  AUTH_PROVIDER,
  AuthErrorCode,
  AuthException,
  AuthManager,
  type AuthProvider,
  IllegalStateException,
  KitAuthModule,
  kitAuthConfig,
  type KitAuthOptions,
  type LoginUser,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import {
  bearer,
  BOTH,
  type Import,
  loginUser,
  moduleOf,
  sharedTestApp,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { RouteExplorer } from '../../../../packages/kit-auth/src/route-report/route.explorer.js';

const CHEAP = { password: { cost: 10 } };

/** The implementation of somebody else. */
class MapProvider implements AuthProvider {
  readonly extensionName: string = 'map';
  private readonly users = new Map<string, LoginUser>();

  async issueToken(user: LoginUser) {
    this.users.set(`token-${user.userId}`, user);
    return `token-${user.userId}`;
  }

  resolveToken(token: string): LoginUser | Promise<LoginUser> {
    const user = this.users.get(token);
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
    }
    return user;
  }

  async invalidate(token: string) {
    this.users.delete(token);
  }
}

function contributing(...providers: Provider[]): DynamicModule {
  class ImplementationModule {}
  return { module: ImplementationModule, providers };
}
const map = (useClass: new (...args: any[]) => unknown = MapProvider, more = {}) =>
  contributing({ provide: AUTH_PROVIDER, useClass, ...more } as Provider);

async function failure(options: TestAppOptions): Promise<Error> {
  const error: unknown = await testApp(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(IllegalStateException);
  return error as Error;
}

// The router of the platform plays no part in what follows.
describe('start-up', () => {
  it('fails without an implementation', async () => {
    const error = await failure({ provider: false });
    expect(error.message).toMatch(/^No authentication implementation was detected/);
  });

  it('fails with two, and names both', async () => {
    const error = await failure({ imports: [map()] });
    expect(error.message).toMatch(/Multiple authentication implementations exist/);
    expect(error.message).toContain('jwt-stateless (of KitAuthJwtModule)');
    expect(error.message).toContain('map (of ImplementationModule)');
  });

  it('counts implementations in global modules and in modules of modules', async () => {
    const nested: DynamicModule = { module: class Outer {}, imports: [{ ...map(), global: true }] };
    const error = await failure({ imports: [nested] });
    expect(error.message).toMatch(/Multiple authentication implementations exist/);
  });

  it('logs its lines in order', async () => {
    const app = await testApp({});
    expect(app.logs.ours()).toEqual([
      'debug [auth] using authentication implementation: jwt-stateless',
      'debug [auth] default administrator account created: admin',
      expect.stringMatching(/^debug \[auth\] default administrator initialization finished, took \d+ms$/),
      expect.stringContaining('built-in default password'),
      'debug [auth] routes: 7 protected, 1 open, 0 decided by path',
      'warn [auth] built-in default JWT secret in use; override kit.auth.jwt.secret in production',
    ]);
  });

  it('logs them in that order whatever the order of imports', async () => {
    const app = await testApp({
      core: false,
      provider: false,
      imports: [KitAuthJwtModule, KitAuthModule.forRoot(CHEAP)],
    });
    expect(app.logs.ours().at(0)).toContain('using authentication implementation');
    expect(app.logs.ours().at(-1)).toContain('built-in default JWT secret');
  });

  it('warns about nothing if production overrides the defaults', async () => {
    const options = { defaultAdminPassword: 'changed', jwt: { secret: 's'.repeat(32) } };
    const app = await testApp({ options });
    expect(app.logs.ours().filter((line) => line.startsWith('warn'))).toEqual([]);
    expect(app.logs.all()).not.toMatch(/changed|ssss/);
  });

  it('names routes that the report finds, such as those of one version only', async () => {
    @Controller('free')
    class FreeController {
      @Get()
      get() {
        return 1;
      }
    }
    const app = await testApp({
      controllers: [FreeController],
      configure: (nest) =>
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: ['1', VERSION_NEUTRAL] }),
    });
    expect((await app.request('/v1/free')).status).toBe(401);
    expect((await app.request('/free')).status).toBe(200);
    expect(app.logs.ours()).toContainEqual(
      expect.stringMatching(/^warn .*open at another path: GET \/free \(FreeController\.get\)/),
    );
  });

  it('goes on with a warning where the routes cannot be listed', async () => {
    const explore = jest.spyOn(RouteExplorer.prototype, 'explore').mockImplementation(() => {
      throw new TypeError('no such part of Nest');
    });
    const app = await testApp({});
    explore.mockRestore();
    expect(app.logs.ours()).toContainEqual(expect.stringMatching(/^warn .*no such part of Nest/));
    expect((await app.request('/v1/api/auth/me')).status).toBe(401);
  });

  it('needs nothing and does nothing when switched off', async () => {
    const app = await testApp({ provider: false, options: { enabled: false } });
    expect(app.logs.ours()).toEqual([]);
  });

  it.each<[string, KitAuthOptions]>([
    ['a secret of 31 bytes', { jwt: { secret: 'x'.repeat(31) } }],
    ['11 characters of 31 bytes', { jwt: { secret: '\u20ac'.repeat(10) + 'a' } }],
    ['30 spaces and a letter', { jwt: { secret: `${' '.repeat(30)}a` } }],
  ])('fails on %s', async (_name, options) => {
    const error = await failure({ options });
    expect(error.message).toContain('kit.auth.jwt.secret');
    expect(error.message).toContain('npx kit-auth secret');
    expect(error.message).toContain('31 bytes');
    expect(error.message).not.toContain(options.jwt!.secret);
  });

  it.each<[string, string]>([
    ['32 bytes', 'x'.repeat(32)],
    ['12 characters of 32 bytes', '\u20ac'.repeat(10) + 'ab'],
    ['8 emoji', '\ud83d\ude80'.repeat(8)],
    ['1000 bytes', 'x'.repeat(1000)],
  ])('takes a secret of %s', async (_name, secret) => {
    const app = await testApp({ options: { jwt: { secret } } });
    expect(await app.codeOf(await app.adminToken())).toBe(200);
  });

  it('ignores a short secret that no implementation uses', async () => {
    const app = await testApp({ provider: map(), options: { jwt: { secret: 'short' } } });
    expect(app.logs.ours()[0]).toBe('debug [auth] using authentication implementation: map');
  });
});

describe('options', () => {
  it('that are wrong end start-up, all named in one error', async () => {
    const options = {
      enabled: 'false',
      tokenHeader: 'A B',
      jwt: { expireMinutes: 0 },
    } as unknown as KitAuthOptions;
    const error = await failure({ options });
    for (const key of ['kit.auth.enabled', 'kit.auth.tokenHeader', 'kit.auth.jwt.expireMinutes']) {
      expect(error.message).toContain(key);
    }
  });

  it('that are not known are named in a warning', async () => {
    const options = { secret: 'hunter2' } as KitAuthOptions;
    const app = await testApp({ options });
    expect(app.logs.ours()).toContainEqual(
      expect.stringMatching(/^warn .*kit\.auth\.secret is not an option/),
    );
    expect(app.logs.all()).not.toContain('hunter2');
  });

  it('from the environment: unknown variables are named in a warning', async () => {
    process.env['KIT_AUTH_JWT_SECRTE'] = 'hunter2';
    const core = KitAuthModule.forRootAsync(kitAuthConfig.asProvider());
    const app = await testApp({ core }).finally(() => delete process.env['KIT_AUTH_JWT_SECRTE']);
    expect(app.logs.ours()).toContain(
      'warn [auth] the environment variable KIT_AUTH_JWT_SECRTE is ignored: ' +
        'there is no such option; did you mean KIT_AUTH_JWT_SECRET?',
    );
    expect(app.logs.all()).not.toContain('hunter2');
  });

  it.each<[string, Import]>([
    ['forRoot()', KitAuthModule.forRoot()],
    ['forRootAsync({ useFactory })', KitAuthModule.forRootAsync({ useFactory: async () => CHEAP })],
    ['kitAuthConfig.asProvider()', KitAuthModule.forRootAsync(kitAuthConfig.asProvider())],
    [
      'forRootAsync({ useClass })',
      KitAuthModule.forRootAsync({
        useClass: class {
          create() {
            return CHEAP;
          }
        },
      }),
    ],
    [
      'forRootAsync({ imports, inject })',
      KitAuthModule.forRootAsync({
        imports: [
          { module: class Settings {}, providers: [{ provide: 'cost', useValue: 10 }], exports: ['cost'] },
        ],
        inject: ['cost'],
        useFactory: (cost: number) => ({ password: { cost } }),
      }),
    ],
  ])('come by %s', async (_name, module) => {
    const app = await testApp({ core: module });
    expect(await app.adminToken()).toEqual(expect.any(String));
  });

  it('need forRoot(), which brings the users', async () => {
    const error = await failure({ core: KitAuthModule });
    expect(error.message).toContain('No user store was found. Import KitAuthModule.forRoot()');
  });

  it('need a data source of TypeORM, or other users', async () => {
    class App {}
    const created = NestFactory.create(
      { module: App, imports: [KitAuthModule.forRoot(), KitAuthJwtModule] },
      { logger: false, abortOnError: false },
    );
    await expect(created).rejects.toMatchObject({
      name: 'IllegalStateException',
      message: expect.stringMatching(/Import TypeOrmModule\.forRoot\(.*KitAuthModule\.forRoot\(\{ users: /),
    });
  });

  it('name the module whose user store is missing', async () => {
    class UsersModule {}
    const error = await failure({ core: KitAuthModule.forRoot({ users: UsersModule }) });
    expect(error.message).toContain('AUTH_USER_STORE');
  });

  it('name the header and the prefix of the token', async () => {
    const options = { tokenHeader: 'X-Access-Token', tokenPrefix: '' };
    const app = await testApp({ options });
    const token = await app.adminToken();
    const me = (header: string) => app.request('/v1/api/auth/me', { headers: [header] });
    expect((await me(`X-Access-Token: ${token}`)).status).toBe(200);
    expect((await me(`X-ACCESS-TOKEN: ${token}`)).status).toBe(200);
    expect((await me(bearer(token))).json.code).toBe(40100);
    expect((await me(`X-Access-Token: Bearer ${token}`)).json.code).toBe(40101);
  });
});

describe('an application without a server', () => {
  it('starts, seeds and logs in', async () => {
    const app = await NestFactory.createApplicationContext(await moduleOf(), {
      abortOnError: false,
      logger: false,
    });
    expect((await app.get(AuthManager).login('admin', 'admin')).user.superAdmin).toBe(true);
    await app.close();
  });
});

describe('wiring', () => {
  it('fails when the core is imported twice', async () => {
    const error = await failure({ imports: [KitAuthModule.forRoot({ tokenHeader: 'X' })] });
    expect(error.message).toContain('imported more than once');
  });

  it('fails when an implementation is imported without the core', async () => {
    const error = await failure({ core: false });
    expect(error.message).toContain('KitAuthModule.forRoot()');
  });

  @Injectable({ scope: Scope.REQUEST })
  class PerRequest extends MapProvider {}
  @Injectable()
  class OfRequest extends MapProvider {
    constructor(@Inject(REQUEST) readonly request: unknown) {
      super();
    }
  }
  it.each<[string, Import]>([
    ['of request scope', map(PerRequest)],
    ['that depends on the request', map(OfRequest)],
    ['that is undefined', contributing({ provide: AUTH_PROVIDER, useFactory: () => undefined })],
  ])('refuses an implementation %s', async (_name, module) => {
    const error = await failure({ provider: module });
    expect(error.message).toContain('does not implement AuthProvider');
  });
});

describe('an implementation of somebody else', () => {
  it.each<[string, Import]>([
    ['by class', map()],
    ['by value', contributing({ provide: AUTH_PROVIDER, useValue: new MapProvider() })],
    ['by factory', contributing({ provide: AUTH_PROVIDER, useFactory: async () => new MapProvider() })],
    ['by alias', contributing(MapProvider, { provide: AUTH_PROVIDER, useExisting: MapProvider })],
    [
      'with promises of its own kind',
      map(
        class extends MapProvider {
          override resolveToken(token: string) {
            return {
              then: (ok: any, no: any) =>
                Promise.resolve()
                  .then(() => super.resolveToken(token))
                  .then(ok, no),
            } as any;
          }
        },
      ),
    ],
  ])('is used when contributed %s', async (_name, module) => {
    const app = await testApp({ provider: module });
    const token = await app.adminToken();
    expect(token).toBe('token-1');
    const me = (header: string) => app.request('/v1/api/auth/me', { headers: [header] });
    expect((await me(bearer(token))).json).toMatchObject({ userId: 1, username: 'admin' });
    const user = await app.get(AuthManager).getLoginUser(token);
    expect(() => user.roles.push('SUPER_ADMIN')).toThrow(TypeError);
    const refused = await me(bearer('token-2'));
    expect([refused.status, refused.json]).toEqual([
      401,
      {
        statusCode: 401,
        code: 40101,
        error: 'TOKEN_INVALID',
        message: expect.any(String),
        reason: 'logged-out',
      },
    ]);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="kit-auth", error="invalid_token"');
  });
});

describe.each(BOTH)('an implementation of somebody else on %s', (platform) => {
  class Breaking extends MapProvider {
    static answer: () => unknown;
    override resolveToken = (() => Breaking.answer()) as never;
    override issueToken = (() => Breaking.answer()) as never;
  }
  const app = sharedTestApp({
    platform,
    provider: map(Breaking),
    options: { login: { throttle: false } },
  });
  const throwing = (error: unknown) => () => {
    throw error;
  };

  it.each<[string, () => unknown, number]>([
    ['throws an error', throwing(new Error('store down, token secret-token')), 50300],
    ['throws undefined', throwing(undefined), 50300],
    ['throws a string', throwing('secret-token'), 50300],
    ['rejects with an error', () => Promise.reject(new TypeError('secret-token')), 50300],
    ['rejects with undefined', () => Promise.reject(undefined), 50300],
    ['gives undefined', () => undefined, 40101],
    ['gives null later', async () => null, 40101],
    ['gives true', () => true, 40101],
    ['gives half a user', () => ({ ...loginUser(), roles: undefined }), 40101],
    ['gives a user of wrong types', async () => ({ ...loginUser(), userId: '1' }), 40101],
  ])('that %s lets nobody through', async (_name, answering, code) => {
    Breaking.answer = answering;
    app.logs.lines.length = 0;
    const answer = await app.request('/v1/api/auth/me', { headers: [bearer('secret-token')] });
    expect([answer.status, answer.json.code]).toEqual([Math.trunc(code / 100), code]);
    expect(answer.text).not.toContain('secret-token');
    expect(app.logs.all()).not.toContain('secret-token');
    expect(app.logs.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it.each<[string, () => unknown, string | undefined]>([
    ['throws', throwing(new Error('no')), '1'],
    ['rejects', () => Promise.reject(new Error('no')), '1'],
    ['gives nothing', async () => undefined, '1'],
    ['gives an empty token', async () => '', '1'],
    ['can never succeed', () => Promise.reject(new IllegalStateException('too many roles')), undefined],
  ])('whose issueToken %s makes login 503', async (_name, answering, retryAfter) => {
    Breaking.answer = answering;
    const answer = await app.login('admin', 'admin');
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([
      503,
      50300,
      retryAfter,
    ]);
  });
});
