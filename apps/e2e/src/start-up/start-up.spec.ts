import { describe, expect, it, jest } from '@jest/globals';
import { type DynamicModule, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
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
  type KitAuthOptionsFactory,
  type LoginUser,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { type Import, loginUser, moduleOf, sharedTestApp, testApp, type TestAppOptions } from 'test-support';
import { failure } from './failure.js';
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

// The router of the platform plays no part in what follows.
describe('start-up', () => {
  const nested: DynamicModule = { module: class Outer {}, imports: [{ ...map(), global: true }] };
  class UsersModule {}
  it.each<[string, TestAppOptions, string]>([
    ['without an implementation', { provider: false }, 'No authentication implementation was detected'],
    [
      'with two, also in global modules of modules, and names both',
      { imports: [nested] },
      'Multiple authentication implementations exist: jwt-stateless (of KitAuthJwtModule), map (of ImplementationModule)',
    ],
    [
      'without forRoot(), which brings the users',
      { core: KitAuthModule },
      'No user store was found. Import KitAuthModule.forRoot()',
    ],
    [
      'without a user store in their module',
      { core: KitAuthModule.forRoot({ users: UsersModule }) },
      'AUTH_USER_STORE',
    ],
    [
      'with the core twice',
      { imports: [KitAuthModule.forRoot({ tokenHeader: 'X' })] },
      'imported more than once',
    ],
    ['without the core', { core: false }, 'KitAuthModule.forRoot()'],
  ])('fails %s', async (_name, options, message) => {
    expect(await failure(options)).toContain(message);
  });

  it('fails without a data source of TypeORM, or other users', async () => {
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

  it('logs its lines in order, whatever the order of imports', async () => {
    const app = await testApp({
      core: false,
      provider: false,
      imports: [KitAuthJwtModule, KitAuthModule.forRoot(CHEAP)],
    });
    expect(app.logs.ours()).toEqual([
      'debug [auth] using authentication implementation: jwt-stateless',
      'debug [auth] default administrator account created: admin',
      expect.stringMatching(/^debug \[auth\] default administrator initialization finished, took \d+ms$/),
      expect.stringContaining('built-in default password'),
      'debug [auth] routes: 7 protected, 1 open, 0 decided by path',
      'warn [auth] built-in default JWT secret in use; override kit.auth.jwt.secret in production',
    ]);
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

  it('does not need a server', async () => {
    const app = await NestFactory.createApplicationContext(await moduleOf(), {
      abortOnError: false,
      logger: false,
    });
    expect((await app.get(AuthManager).login('admin', 'admin')).user.superAdmin).toBe(true);
    await app.close();
  });

  it.each<[string, string]>([
    ['a secret of 31 bytes', 'x'.repeat(31)],
    ['11 characters of 31 bytes', '\u20ac'.repeat(10) + 'a'],
    ['30 spaces and a letter', `${' '.repeat(30)}a`],
  ])('fails on %s', async (_name, secret) => {
    const message = await failure({ options: { jwt: { secret } } });
    expect(message).toMatch(/kit\.auth\.jwt\.secret.*31 bytes.*npx kit-auth secret/);
    expect(message).not.toContain(secret);
  });

  it.each<[string, string]>([
    ['32 bytes', 'x'.repeat(32)],
    ['12 characters of 32 bytes', '\u20ac'.repeat(10) + 'ab'],
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
    const options = { enabled: 'false', jwt: { expireMinutes: 0 } } as unknown as KitAuthOptions;
    const message = await failure({ options });
    expect(message).toMatch(/kit\.auth\.enabled .*kit\.auth\.jwt\.expireMinutes /);
  });

  it('that are not known are named in a warning, also where they are in the environment', async () => {
    process.env['KIT_AUTH_JWT_SECRTE'] = 'hunter2';
    const core = KitAuthModule.forRootAsync(kitAuthConfig.asProvider());
    const app = await testApp({ core }).finally(() => delete process.env['KIT_AUTH_JWT_SECRTE']);
    expect(app.logs.ours()).toContain(
      'warn [auth] the environment variable KIT_AUTH_JWT_SECRTE is ignored: ' +
        'there is no such option; did you mean KIT_AUTH_JWT_SECRET?',
    );
    const other = await testApp({ options: { secret: 'hunter2' } as KitAuthOptions });
    expect(other.logs.ours()).toContainEqual(
      expect.stringMatching(/^warn .*kit\.auth\.secret is not an option/),
    );
    expect(app.logs.all() + other.logs.all()).not.toContain('hunter2');
  });

  const cost = { provide: 'cost', useValue: 10 };
  const settings = { module: class Settings {}, providers: [cost], exports: ['cost'] };
  class Options implements KitAuthOptionsFactory {
    create = () => CHEAP;
  }
  it.each<[string, Import]>([
    ['forRoot()', KitAuthModule.forRoot()],
    ['kitAuthConfig.asProvider()', KitAuthModule.forRootAsync(kitAuthConfig.asProvider())],
    ['forRootAsync({ useClass })', KitAuthModule.forRootAsync({ useClass: Options })],
    [
      'forRootAsync({ imports, inject, useFactory })',
      KitAuthModule.forRootAsync({
        imports: [settings],
        inject: ['cost'],
        useFactory: async (cost: number) => ({ password: { cost } }),
      }),
    ],
  ])('come by %s', async (_name, core) => {
    expect(await (await testApp({ core })).adminToken()).toEqual(expect.any(String));
  });
});

describe('an implementation of somebody else', () => {
  class Promising extends MapProvider {
    override resolveToken(token: string) {
      const resolve = async () => super.resolveToken(token);
      return { then: (ok: any, no: any) => resolve().then(ok, no) } as any;
    }
  }
  it.each<[string, Import]>([
    ['by class', map()],
    ['by value', contributing({ provide: AUTH_PROVIDER, useValue: new MapProvider() })],
    ['by factory', contributing({ provide: AUTH_PROVIDER, useFactory: async () => new MapProvider() })],
    ['by alias', contributing(MapProvider, { provide: AUTH_PROVIDER, useExisting: MapProvider })],
    ['with promises of its own kind', map(Promising)],
  ])('is used when contributed %s', async (_name, provider) => {
    const app = await testApp({ provider });
    const token = await app.adminToken();
    expect(token).toBe('token-1');
    expect((await app.call(token, 'GET', 'me')).json).toMatchObject({ userId: 1, username: 'admin' });
    const user = await app.get(AuthManager).getLoginUser(token);
    expect(() => user.roles.push('SUPER_ADMIN')).toThrow(TypeError);
    const refused = await app.call('token-2', 'GET', 'me');
    expect(refused.json).toMatchObject({ statusCode: 401, code: 40101, reason: 'logged-out' });
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="kit-auth", error="invalid_token"');
  });
});

describe('an implementation of somebody else', () => {
  class Breaking extends MapProvider {
    static answer: () => unknown;
    override resolveToken = (() => Breaking.answer()) as never;
    override issueToken = (() => Breaking.answer()) as never;
  }
  const app = sharedTestApp({ provider: map(Breaking), options: { login: { throttle: false } } });
  const throwing = (error: unknown) => () => {
    throw error;
  };

  // What it may return is in packages/kit-auth/src/ports/token.resolver.spec.ts and ports.spec.ts.
  it.each<[string, () => unknown, number]>([
    ['throws an error', throwing(new Error('store down, token secret-token')), 50300],
    ['throws a string', throwing('secret-token'), 50300],
    ['rejects with undefined', () => Promise.reject(undefined), 50300],
    ['gives null later', async () => null, 40101],
    ['gives half a user', () => ({ ...loginUser(), roles: undefined }), 40101],
  ])('that %s lets nobody through', async (_name, answering, code) => {
    Breaking.answer = answering;
    app.logs.lines.length = 0;
    const answer = await app.call('secret-token', 'GET', 'me');
    expect([answer.status, answer.json.code]).toEqual([Math.trunc(code / 100), code]);
    expect(answer.text + app.logs.all()).not.toContain('secret-token');
    expect(app.logs.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it.each<[string, () => unknown, string | undefined]>([
    ['throws', throwing(new Error('no')), '1'],
    ['can never succeed', () => Promise.reject(new IllegalStateException('too many roles')), undefined],
  ])('whose issueToken %s makes login 503', async (_name, answering, retryAfter) => {
    Breaking.answer = answering;
    const { status, json, headers } = await app.login('admin', 'admin');
    expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, retryAfter]);
  });
});
