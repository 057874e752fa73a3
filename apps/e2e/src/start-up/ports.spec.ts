import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module, type Provider, Scope } from '@nestjs/common';
import {
  AUTH_CREDENTIAL,
  AUTH_EVENT_SINK,
  AUTH_LOGINS,
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  KitAuthModule,
  LOGIN_STEP,
  type LoginUser,
  PASSWORD_HASHER,
  RequireFresh,
  TOKEN_TRANSPORT,
} from 'kit-auth';
import { BOTH, loginUser, PASSWORD, sharedTestApp, testApp, type TestAppOptions } from 'test-support';
import { MemoryLogins } from '../login/memory-logins.js';

/** A module with providers, in its metadata or as a dynamic module. */
function moduleWith(...providers: Provider[]): DynamicModule {
  class ExtensionModule {}
  return { module: ExtensionModule, providers };
}

async function failure(options: TestAppOptions): Promise<string> {
  const error: unknown = await testApp(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'IllegalStateException' });
  return (error as Error).message;
}

// What is refused, and how it is said, is in packages/kit-auth/src/ports/ports.spec.ts.
describe('start-up refuses an extension that would never act, or for others', () => {
  const credential = (prefix: string) => ({
    provide: AUTH_CREDENTIAL,
    useValue: { prefix, scheme: 'ext', resolve: () => undefined },
  });

  it('a sink in the request scope', async () => {
    class RequestSink {
      async keep() {
        return undefined;
      }
    }
    const sink = { provide: AUTH_EVENT_SINK, scope: Scope.REQUEST, useClass: RequestSink };
    expect(await failure({ imports: [moduleWith(sink)] })).toContain(
      'must be an object in the default scope',
    );
  });

  it.each<[string, string, TestAppOptions]>([
    ['JWTs', 'eyJ', {}],
    ['JWTs', 'eyJhbGciOiJIUzI1', {}],
    ['sessions', 'kats_7', { provider: 'session' }],
    ['stateless sessions', 'kass1', { session: { mode: 'stateless', secret: 'k'.repeat(32) } }],
  ])('a credential that would resolve the tokens of %s: %s', async (_name, prefix, options) => {
    expect(await failure({ ...options, imports: [moduleWith(credential(prefix))] })).toMatch(
      /^The credential "ext" would resolve tokens of (?:jwt-stateless|session-token), which also begin with/,
    );
  });

  it('but not one for JWTs of another algorithm', async () => {
    const app = await testApp({ imports: [moduleWith(credential('eyJhbGciOiJSUzI1'))] });
    expect(await app.stateOf(await app.adminToken())).toBe('live');
  });

  it.each(['in the metadata of its class', 'as a dynamic module'])(
    'two contributions of one module %s',
    async (where) => {
      class TwoStepsModule {}
      const useClass = class Step {
        async succeeded() {}
      };
      const providers = [1, 2].map(() => ({ provide: LOGIN_STEP, useClass }));
      const isDynamic = where === 'as a dynamic module';
      Module(isDynamic ? {} : { providers })(TwoStepsModule);
      const imports = [isDynamic ? { module: TwoStepsModule, providers } : TwoStepsModule];
      expect(await failure({ imports })).toContain(
        'TwoStepsModule provides kit-auth.login-step more than once, and Nest keeps only the last one',
      );
    },
  );
});

@Controller('v1')
class RouteController {
  @Get('free')
  free() {
    return {};
  }

  @Get('full')
  @RequireFresh({ factors: 'full' })
  full() {
    return {};
  }
}

type Method = (...args: any[]) => unknown;

/** What replaces methods of the extensions, such as `Hasher.verify`. Undefined for their own. */
const broken = new Map<string, Method>();

/** An instance of a class of that name, whose methods can be replaced. */
function extension(name: string, methods: Record<string, Method>, properties: object = {}): object {
  const instance = new (class {})();
  Object.defineProperty(instance.constructor, 'name', { value: name });
  const entries = Object.entries(methods).map(([key, own]) => [
    key,
    (...args: unknown[]) => (broken.get(`${name}.${key}`) ?? own)(...args),
  ]);
  return Object.assign(instance, properties, Object.fromEntries(entries));
}

const nothing = async () => undefined;
const account = (username: string) => ({
  id: 7,
  username,
  passwordHash: 'x',
  enabled: true as unknown,
  securityStamp: 's',
});
/** What the tokens in memory stand for. */
const known = new Map<string, unknown>();
const logins = new MemoryLogins({} as never);

/** All ports, filled by extensions that do what they promise. */
const EXTENSIONS: Record<string, [token: symbol, instance: object]> = {
  Credential: [
    AUTH_CREDENTIAL,
    extension(
      'Credential',
      { resolve: () => ({ user: loginUser(), proof: { factors: {} } }), authorize: () => undefined },
      { prefix: 'ext_', scheme: 'ext' },
    ),
  ],
  Transport: [
    TOKEN_TRANSPORT,
    extension('Transport', {
      read: () => undefined,
      write: (answer: object) => answer,
      clear: () => undefined,
      admit: () => undefined,
    }),
  ],
  Hasher: [
    PASSWORD_HASHER,
    extension('Hasher', {
      hash: async () => 'x',
      verify: async () => true,
      isOutdated: () => false,
      dummy: nothing,
    }),
  ],
  Step: [
    LOGIN_STEP,
    extension('Step', {
      around: (_attempt: unknown, check: () => Promise<unknown>) => check(),
      afterFirstFactor: nothing,
      succeeded: nothing,
      needsEnrolment: () => false,
      secondFactorsOf: async () => [],
      verifyFactor: nothing,
    }),
  ],
  Logins: [
    AUTH_LOGINS,
    extension('Logins', {
      open: (login, client) => logins.open(login, client),
      check: (login) => logins.check(login),
      renew: async (login) => login,
      listOf: (userId) => logins.listOf(userId),
      currentId: () => undefined,
      end: async () => true,
      endAllOf: async () => 0,
    }),
  ],
  Users: [
    AUTH_USER_STORE,
    extension('Users', {
      findByUsername: async (username: string) => account(username),
      loadLoginUser: async (userId: number) => loginUser({ userId }),
      stampOf: async () => 's',
      noteLogin: async () => true,
    }),
  ],
  tokens: [
    AUTH_PROVIDER,
    extension(
      'tokens',
      {
        issueToken: async (user: LoginUser, proof: unknown) => {
          const token = randomUUID();
          known.set(token, { user, proof });
          return token;
        },
        resolve: (token: string) => known.get(token),
        resolveToken: () => undefined,
        invalidate: nothing,
      },
      { extensionName: 'tokens', keepsProof: true },
    ),
  ],
};

type Request = 'login' | 'credential' | 'token' | 'no token' | 'full' | 'fresh';

/** A method of an extension that breaks its contract, how, with what, the request that meets it, and what the log says. */
const ODD: [method: string, how: string, answer: Method, request: Request, log: string][] = [
  ['Hasher.verify', 'resolves to a text', async () => 'no', 'login', 'it returned'],
  [
    'Users.findByUsername',
    'says "enabled" by a text',
    async () => ({ ...account('ada'), enabled: 'false' }),
    'login',
    'Users returned an account whose enabled is',
  ],
  [
    'Users.loadLoginUser',
    'returns another user',
    async () => loginUser({ userId: 8, superAdmin: true }),
    'login',
    'Users returned the user 8 when it was asked for 7',
  ],
  ['Users.noteLogin', 'says nothing', nothing, 'login', 'Users returned undefined, not true or false'],
  [
    'Credential.authorize',
    'returns false',
    () => false,
    'credential',
    'it returned a boolean instead of nothing',
  ],
  ['Credential.authorize', 'resolves to false', async () => false, 'credential', 'it returned'],
  ['Transport.admit', 'returns false', () => false, 'login', 'it returned'],
  ['Transport.admit', 'rejects', () => Promise.reject(new Error('no')), 'login', 'it returned a promise'],
  ['Transport.read', 'returns a promise', async () => 'token', 'no token', 'it returned a promise'],
  [
    'Transport.write',
    'returns nothing',
    () => undefined,
    'login',
    'it returned undefined instead of an object',
  ],
  ['Transport.write', 'resolves to nothing', nothing, 'login', 'it returned undefined instead of an object'],
  ['Logins.check', 'returns false', () => false, 'token', 'it returned'],
  [
    'Logins.open',
    'has no proof',
    async () => ({}),
    'login',
    'it returned an object instead of an opened login',
  ],
  ['tokens.issueToken', 'resolves to an empty text', async () => '', 'login', 'it returned'],
  [
    'tokens.issueToken',
    'resolves to what a credential would resolve',
    async () => 'ext_1',
    'login',
    'A credential resolves tokens that begin like those of tokens',
  ],
  ['Step.afterFirstFactor', 'rejects', () => Promise.reject(new Error('no mail')), 'login', 'Error: no mail'],
  ['Step.succeeded', 'rejects', () => Promise.reject(new Error('no count')), 'login', 'Error: no count'],
  [
    'Step.around',
    'returns no login',
    async (_attempt, check) => {
      await check();
    },
    'login',
    'it returned undefined instead of a login',
  ],
  ['Step.needsEnrolment', 'returns a promise', async () => false, 'token', 'it returned a promise'],
  ['Step.secondFactorsOf', 'returns a text', () => 'totp', 'full', 'it returned a string'],
];

const HANGING: [port: string, request: Request][] = [
  ['tokens.issueToken', 'login'],
  ['tokens.resolve', 'token'],
  ['Credential.resolve', 'credential'],
  ['Credential.authorize', 'credential'],
  ['Hasher.verify', 'login'],
  ['Step.around', 'login'],
  ['Step.afterFirstFactor', 'login'],
  ['Step.succeeded', 'login'],
  ['Step.secondFactorsOf', 'full'],
  ['Step.verifyFactor', 'fresh'],
  ['Transport.write', 'login'],
  ['Logins.open', 'login'],
  ['Logins.check', 'token'],
];

describe.each(BOTH)('50300 and a log line that names the extension, on %s', (platform) => {
  const unhandled = jest.fn();
  const { Users, tokens, ...others } = EXTENSIONS;
  const moduleOf = ([provide, useValue]: [symbol, object]) => moduleWith({ provide, useValue });
  const app = sharedTestApp({
    platform,
    database: false,
    core: KitAuthModule.forRoot({ login: { throttle: false }, users: moduleOf(Users!) }),
    provider: moduleOf(tokens!),
    imports: Object.values(others).map(moduleOf),
    controllers: [RouteController],
  });
  let token: string;
  beforeAll(async () => {
    process.on('unhandledRejection', unhandled);
    token = (await app.login('ada')).json.token;
  });
  afterEach(() => {
    broken.clear();
    app.logs.lines.length = 0;
    jest.useRealTimers();
  });
  afterAll(() => {
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  const send = (request: Request) => {
    switch (request) {
      case 'login':
        return app.login('ada');
      case 'credential':
        return app.request('/v1/free', { token: 'ext_secret' });
      case 'token':
        return app.request('/v1/free', { token });
      case 'no token':
        return app.request('/v1/free');
      case 'full':
        return app.request('/v1/full', { token });
      case 'fresh':
        return app.call(token, 'POST', 'fresh', { factor: 'totp', code: '123456' });
    }
  };
  const errors = () => app.logs.ours().filter((line) => line.startsWith('error'));
  const escaped = (text: string) => text.replace(/[()]/g, '\\$&');
  const named = (port: string) => {
    const [extensionName, method] = port.split('.');
    return `${method}() of ${extensionName} (of ExtensionModule) failed`;
  };

  it('is no answer of extensions that keep their contract', async () => {
    expect((await send('token')).status).toBe(200);
    expect((await send('credential')).status).toBe(200);
    expect((await send('full')).json.code).toBeUndefined();
    expect(errors()).toEqual([]);
  });

  it.each(ODD)('%s %s', async (port, _how, answer, request, log) => {
    broken.set(port, answer);
    const { status, json } = await send(request);
    expect([status, json?.code]).toEqual([503, 50300]);
    const line = log.includes('it returned') || log.startsWith('Error') ? `${named(port)}: ` : '';
    expect(errors()).toContainEqual(expect.stringMatching(new RegExp(`${escaped(line)}.*${escaped(log)}`)));
    expect(app.logs.all()).not.toContain('ext_secret');
    expect(app.logs.all()).not.toContain(PASSWORD);
  });

  const hangs = async (port: string, request: Request, before: Method = nothing) => {
    const real = setTimeout;
    jest.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] } as never);
    expect(setTimeout).not.toBe(real);
    const reached = new Promise<void>((resolve) => {
      broken.set(port, async (...args) => {
        await before(...args);
        resolve();
        return new Promise(() => undefined);
      });
    });
    const answering = send(request);
    await Promise.race([reached, answering]);
    await jest.advanceTimersByTimeAsync(5000);
    const { status, json } = await answering;
    expect([status, json?.code]).toEqual([503, 50300]);
    expect(errors()).toContainEqual(
      expect.stringContaining(`${named(port)}: DeadlineExceeded: it gave no answer in 5000 ms`),
    );
  };

  it.each(HANGING)('%s never ends, at a %s', hangs);

  it('a step that never ends after the check', () =>
    hangs('Step.around', 'login', (_attempt, check) => check()));
});

describe('an extension', () => {
  it('may take its time to write an answer, and ends the login if that fails', async () => {
    const write = jest.fn(async (answer: object): Promise<object> => ({ ...answer, written: true }));
    const transport = { read: () => undefined, write, clear: () => undefined };
    const app = await testApp({
      provider: 'session',
      imports: [moduleWith({ provide: TOKEN_TRANSPORT, useValue: transport })],
    });
    const { status, json } = await app.login('admin', 'admin');
    expect([status, json.written, await app.stateOf(json.token)]).toEqual([200, true, 'live']);
    write.mockRejectedValueOnce(new Error('no cookies'));
    expect((await app.login('admin', 'admin')).json.code).toBe(50300);
    const [{ token }] = write.mock.calls.at(-1) as [{ token: string }];
    expect(await app.stateOf(token)).toBe('40101 logged-out');
  });
});
