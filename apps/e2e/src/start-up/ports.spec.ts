import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module, type Provider } from '@nestjs/common';
import {
  AUTH_CREDENTIAL,
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
import { type Answer, loginUser, PASSWORD, sharedTestApp, testApp, type TestAppOptions } from 'test-support';
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

  it.each([true, false])('two contributions of one module, which is dynamic: %s', async (isDynamic) => {
    class TwoStepsModule {}
    const useClass = class Step {
      async succeeded() {}
    };
    const providers = [1, 2].map(() => ({ provide: LOGIN_STEP, useClass }));
    Module(isDynamic ? {} : { providers })(TwoStepsModule);
    const imports = [isDynamic ? { module: TwoStepsModule, providers } : TwoStepsModule];
    expect(await failure({ imports })).toContain(
      'TwoStepsModule provides kit-auth.login-step more than once, and Nest keeps only the last one',
    );
  });
});

@Controller('v1')
class RouteController {
  @Get('free') free() {}
  @Get('full') @RequireFresh({ factors: 'full' }) full() {}
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
const EXTENSIONS: Record<string, [token: symbol, methods: Record<string, Method>, properties?: object]> = {
  Credential: [
    AUTH_CREDENTIAL,
    { resolve: () => ({ user: loginUser(), proof: { factors: {} } }), authorize: () => undefined },
    { prefix: 'ext_', scheme: 'ext' },
  ],
  Transport: [
    TOKEN_TRANSPORT,
    {
      read: () => undefined,
      write: (answer: object) => answer,
      clear: () => undefined,
      admit: () => undefined,
    },
  ],
  Hasher: [
    PASSWORD_HASHER,
    { hash: async () => 'x', verify: async () => true, isOutdated: () => false, dummy: nothing },
  ],
  Step: [
    LOGIN_STEP,
    {
      around: (_attempt: unknown, check: () => Promise<unknown>) => check(),
      succeeded: nothing,
      needsEnrolment: () => false,
      secondFactorsOf: async () => [],
      verifyFactor: nothing,
    },
  ],
  Logins: [
    AUTH_LOGINS,
    {
      open: (login, client) => logins.open(login, client),
      check: (login) => logins.check(login),
      renew: async (login) => login,
      listOf: (userId) => logins.listOf(userId),
      currentId: () => undefined,
      end: async () => true,
      endAllOf: async () => 0,
    },
  ],
  Users: [
    AUTH_USER_STORE,
    {
      findByUsername: async (username: string) => account(username),
      loadLoginUser: async (userId: number) => loginUser({ userId }),
      stampOf: async () => 's',
      noteLogin: async () => true,
    },
  ],
  tokens: [
    AUTH_PROVIDER,
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
  ],
};

type Request = 'login' | 'credential' | 'token' | 'no token' | 'full' | 'fresh';

/** A method of each extension that breaks its contract, how, with what, and the request that meets it. */
const ODD: [method: string, how: string, answer: Method, request: Request, log: string][] = [
  ['Hasher.verify', 'resolves to a text', async () => 'no', 'login', 'it returned'],
  ['Users.noteLogin', 'says nothing', nothing, 'login', 'Users returned undefined, not true or false'],
  ['Credential.authorize', 'returns false', () => false, 'credential', 'it returned a boolean instead of'],
  ['Transport.admit', 'rejects', () => Promise.reject(new Error('no')), 'login', 'it returned a promise'],
  ['Transport.read', 'returns a promise', async () => 'token', 'no token', 'it returned a promise'],
  ['Transport.write', 'resolves to nothing', nothing, 'login', 'it returned undefined instead of an object'],
  ['Logins.check', 'returns false', () => false, 'token', 'it returned'],
  ['tokens.issueToken', 'resolves to an empty text', async () => '', 'login', 'it returned'],
  ['Step.succeeded', 'rejects', () => Promise.reject(new Error('no count')), 'login', 'Error: no count'],
  ['Step.needsEnrolment', 'returns a promise', async () => false, 'token', 'it returned a promise'],
  ['Step.secondFactorsOf', 'returns a text', () => 'totp', 'full', 'it returned a string'],
];

const HANGING: [port: string, request: Request][] = [
  ['tokens.resolve', 'token'],
  ['Step.verifyFactor', 'fresh'],
  ['Transport.write', 'login'],
];

// What each method may return is in packages/kit-auth/src/ports/ports.spec.ts, deadlines are in ports/guarded.spec.ts.
describe('50300 and a log line that names the extension', () => {
  const unhandled = jest.fn();
  const { Users, tokens, ...others } = Object.fromEntries(
    Object.entries(EXTENSIONS).map(([name, [provide, methods, properties]]) => [
      name,
      moduleWith({ provide, useValue: extension(name, methods, properties) }),
    ]),
  );
  const app = sharedTestApp({
    database: false,
    core: KitAuthModule.forRoot({ login: { throttle: false }, users: Users! }),
    provider: tokens!,
    imports: Object.values(others),
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

  const SENDING: Record<Request, () => Promise<Answer>> = {
    login: () => app.login('ada'),
    credential: () => app.request('/v1/free', { token: 'ext_secret' }),
    token: () => app.request('/v1/free', { token }),
    'no token': () => app.request('/v1/free'),
    full: () => app.request('/v1/full', { token }),
    fresh: () => app.call(token, 'POST', 'fresh', { factor: 'totp', code: '123456' }),
  };
  const errors = () => app.logs.ours().filter((line) => line.startsWith('error'));
  const named = (port: string) => {
    const [extensionName, method] = port.split('.');
    return `${method}() of ${extensionName} (of ExtensionModule) failed: `;
  };

  it('is no answer of extensions that keep their contract', async () => {
    for (const request of ['token', 'credential'] as const) {
      expect((await SENDING[request]()).status).toBe(200);
    }
    expect((await SENDING.full()).json?.code).toBeUndefined();
    expect(errors()).toEqual([]);
  });

  it.each(ODD)('%s %s', async (port, _how, answer, request, log) => {
    broken.set(port, answer);
    const { status, json } = await SENDING[request]();
    expect([status, json?.code]).toEqual([503, 50300]);
    const line = errors().find((one) => one.includes(log));
    expect(line).toContain(log.startsWith('Users') ? log : named(port));
    expect(app.logs.all()).not.toContain('ext_secret');
    expect(app.logs.all()).not.toContain(PASSWORD);
  });

  it.each(HANGING)('%s never ends, at a %s', async (port, request) => {
    jest.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] } as never);
    const reached = new Promise<void>((resolve) => {
      broken.set(port, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const answering = SENDING[request]();
    await Promise.race([reached, answering]);
    await jest.advanceTimersByTimeAsync(5000);
    expect(await answering).toMatchObject({ status: 503, json: { code: 50300 } });
    expect(errors()).toContainEqual(
      expect.stringContaining(`${named(port)}DeadlineExceeded: it gave no answer in 5000 ms`),
    );
  });
});
