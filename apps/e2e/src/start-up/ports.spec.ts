import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
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
  type StoredUser,
  TOKEN_TRANSPORT,
  type VerifiedLogin,
} from 'kit-auth';
import { BOTH, loginUser, PASSWORD, testApp, type TestAppOptions } from 'test-support';
import bcrypt from 'bcrypt';
import { MemoryLogins } from '../login/memory-logins.js';

const HASH = bcrypt.hashSync(PASSWORD, 4);
const never = () => new Promise<never>(() => undefined);

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

class Credential {
  readonly prefix: unknown = 'ext_';
  readonly scheme: unknown = 'ext';

  resolve(): unknown {
    return { user: loginUser(), proof: { factors: {} } };
  }
}

class Step {
  async afterFirstFactor(): Promise<unknown> {
    return undefined;
  }
}

describe('start-up refuses an extension that would never act, or for others', () => {
  const credential = (more: object) => ({
    provide: AUTH_CREDENTIAL,
    useValue: Object.assign(new Credential(), more),
  });

  it.each<[string, Provider, string]>([
    ['a credential without a prefix', credential({ prefix: undefined }), 'needs a scheme, and a prefix'],
    ['a credential without a scheme', credential({ scheme: undefined }), 'needs a scheme, and a prefix'],
    [
      'a credential with a misspelled method',
      credential({ authorise: () => undefined }),
      'Credential (of ExtensionModule) has the method authorise, which AuthCredential does not have. If it is meant to be ' +
        'authorize,',
    ],
    [
      'a credential whose method is a text',
      credential({ authorize: 'admin' }),
      'authorize is a string, not a method',
    ],
    ['a step without methods', { provide: LOGIN_STEP, useClass: class Idle {} }, 'Idle (of ExtensionModule)'],
    [
      'a step with a misspelled method',
      { provide: LOGIN_STEP, useValue: { afterFirstFaktor: async () => undefined } },
      'If it is meant to be afterFirstFactor',
    ],
    ...[Infinity, NaN, null, 0, 1.5, '100', 2 ** 31].map((timeoutMs): [string, Provider, string] => [
      `a step whose timeoutMs is ${timeoutMs}`,
      { provide: LOGIN_STEP, useValue: { timeoutMs, afterFirstFactor: async () => undefined } },
      'timeoutMs of Object (of ExtensionModule) must be a whole number from 1 to 2147483647',
    ]),
    ['a step that is null', { provide: LOGIN_STEP, useValue: null }, 'must be an object'],
    [
      'a sink without keep',
      { provide: AUTH_EVENT_SINK, useValue: { store: () => undefined } },
      'it lacks keep',
    ],
    [
      'a sink in the request scope',
      {
        provide: AUTH_EVENT_SINK,
        scope: Scope.REQUEST,
        useClass: class RequestSink {
          async keep() {
            return undefined;
          }
        },
      },
      'must be an object in the default scope',
    ],
    [
      'two steps with one name',
      { provide: LOGIN_STEP, useFactory: () => [new Step(), new Step()] },
      'more than one LoginStep with the name Step',
    ],
    [
      'a list of hashers',
      { provide: PASSWORD_HASHER, useFactory: () => [{}, {}] },
      'more than one PasswordHasher',
    ],
  ])('%s', async (_name, provider, message) => {
    expect(await failure({ imports: [moduleWith(provider)] })).toContain(message);
  });

  it.each<[string, string, TestAppOptions]>([
    ['JWTs', 'eyJ', {}],
    ['JWTs', 'eyJhbGciOiJIUzI1', {}],
    ['sessions', 'kats_', { provider: 'session' }],
    ['sessions', 'kats_7', { provider: 'session' }],
    ['stateless sessions', 'kass1', { session: { mode: 'stateless', secret: 'k'.repeat(32) } }],
  ])('a credential that would resolve the tokens of %s: %s', async (_name, prefix, options) => {
    expect(await failure({ ...options, imports: [moduleWith(credential({ prefix }))] })).toMatch(
      /^The credential "ext" would resolve tokens of (?:jwt-stateless|session-token), which also begin with/,
    );
  });

  it('but not one for JWTs of another algorithm', async () => {
    const app = await testApp({ imports: [moduleWith(credential({ prefix: 'eyJhbGciOiJSUzI1' }))] });
    expect(await app.stateOf(await app.adminToken())).toBe('live');
  });

  it.each(['in the metadata of its class', 'as a dynamic module'])(
    'two contributions of one module %s',
    async (where) => {
      class TwoStepsModule {}
      const providers = [Step, Step].map((useClass) => ({ provide: LOGIN_STEP, useClass }));
      const isDynamic = where === 'as a dynamic module';
      Module(isDynamic ? {} : { providers })(TwoStepsModule);
      const imports = [isDynamic ? { module: TwoStepsModule, providers } : TwoStepsModule];
      expect(await failure({ imports })).toContain(
        'TwoStepsModule provides kit-auth.login-step more than once, and Nest keeps only the last one',
      );
    },
  );

  it('takes a list of contributions of one module', async () => {
    const seen: string[] = [];
    const step = (name: string) => ({ name, afterFirstFactor: async () => void seen.push(name) });
    const provider = { provide: LOGIN_STEP, useFactory: () => [step('one'), step('two')] };
    const app = await testApp({ imports: [moduleWith(provider)] });
    await app.adminToken();
    expect(seen).toEqual(['one', 'two']);
  });
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

/** Users in memory. */
class Users {
  async findByUsername(username: string): Promise<unknown> {
    return { id: 7, username, passwordHash: HASH, enabled: true, securityStamp: 's' } satisfies StoredUser;
  }

  async loadLoginUser(userId: number): Promise<unknown> {
    return loginUser({ userId });
  }

  async stampOf(): Promise<unknown> {
    return 's';
  }

  async noteLogin(): Promise<unknown> {
    return true;
  }
}

/** Tokens in memory. */
class Tokens {
  readonly extensionName = 'tokens';
  readonly keepsProof = true;
  private readonly logins = new Map<string, unknown>();

  async issueToken(user: LoginUser, proof: unknown): Promise<unknown> {
    const token = randomUUID();
    this.logins.set(token, { user, proof });
    return token;
  }

  resolve(token: string): unknown {
    return this.logins.get(token);
  }

  resolveToken(): unknown {
    throw new TypeError('resolve() is used');
  }

  async invalidate(token: string): Promise<void> {
    this.logins.delete(token);
  }
}

const TRANSPORT = {
  read: (): unknown => undefined,
  write: (answer: object): unknown => answer,
  clear: (): unknown => undefined,
};

/** An extension that breaks its contract, and who asks it. */
interface Broken {
  readonly name: string;
  readonly users?: object;
  readonly tokens?: object;
  readonly provider?: Provider;
  /** Default: a login. */
  readonly request?: 'credential' | 'token' | 'no token' | 'full' | 'fresh';
  /** What the log says of it. */
  readonly log: string | RegExp;
}

function credentialWith(more: object): Provider {
  return { provide: AUTH_CREDENTIAL, useValue: Object.assign(new Credential(), more) };
}

function transportWith(more: object): Provider {
  return { provide: TOKEN_TRANSPORT, useValue: { ...TRANSPORT, ...more } };
}

function hasherWith(more: object): Provider {
  const hasher = {
    hash: async () => HASH,
    verify: never,
    isOutdated: () => false,
    dummy: async () => undefined,
  };
  return { provide: PASSWORD_HASHER, useValue: { ...hasher, ...more } };
}

function stepWith(more: object): Provider {
  return { provide: LOGIN_STEP, useValue: more };
}

function loginsWith(more: Partial<Record<keyof MemoryLogins, unknown>>): Provider {
  return {
    provide: AUTH_LOGINS,
    useClass: class Logins extends MemoryLogins {
      constructor() {
        super({} as never);
        Object.assign(this, more);
      }
    },
  };
}

const around = (before: () => Promise<unknown>, after: () => Promise<unknown>) =>
  stepWith({
    around: async (_attempt: unknown, check: () => Promise<VerifiedLogin>) => {
      await before();
      const login = await check();
      await after();
      return login;
    },
  });

const ODD: readonly Broken[] = [
  ...[{ valid: false }, 'no', 1, undefined].map((answer) => ({
    name: `a hasher that answers ${JSON.stringify(answer)}`,
    provider: hasherWith({ verify: async () => answer }),
    log: 'verify() of Object (of ExtensionModule) failed: TypeError: it returned',
  })),
  ...['false', 1, undefined].map((enabled) => ({
    name: `users whose enabled is ${JSON.stringify(enabled)}`,
    users: {
      findByUsername: async () => ({ ...((await new Users().findByUsername('x')) as object), enabled }),
    },
    log: 'Users returned an account whose enabled is',
  })),
  {
    name: 'users that return another one than was asked for',
    users: { loadLoginUser: async () => loginUser({ userId: 8, superAdmin: true }) },
    log: 'Users returned the user 8 when it was asked for 7',
  },
  {
    name: 'users that forget to say whether the user is unchanged',
    users: { noteLogin: async () => undefined },
    log: 'Users returned undefined, not true or false',
  },
  {
    name: 'a credential whose authorize() returns false',
    provider: credentialWith({ authorize: () => false }),
    request: 'credential',
    log: 'authorize() of Credential (of ExtensionModule) failed: TypeError: it returned a boolean instead of nothing',
  },
  {
    name: 'a credential whose authorize() resolves to false',
    provider: credentialWith({ authorize: async () => false }),
    request: 'credential',
    log: 'authorize() of Credential (of ExtensionModule) failed',
  },
  {
    name: 'a transport whose admit() returns false',
    provider: transportWith({ admit: () => false }),
    log: 'admit() of Object (of ExtensionModule) failed',
  },
  {
    name: 'a transport whose admit() rejects',
    provider: transportWith({ admit: () => Promise.reject(new Error('no')) }),
    log: 'admit() of Object (of ExtensionModule) failed: TypeError: it returned a promise',
  },
  {
    name: 'a transport whose read() returns a promise',
    provider: transportWith({ read: async () => 'token' }),
    request: 'no token',
    log: 'read() of Object (of ExtensionModule) failed: TypeError: it returned a promise',
  },
  {
    name: 'a transport whose write() returns nothing',
    provider: transportWith({ write: () => undefined }),
    log: 'write() of Object (of ExtensionModule) failed: TypeError: it returned undefined instead of an object',
  },
  {
    name: 'a transport whose write() resolves to nothing',
    provider: transportWith({ write: async () => undefined }),
    log: 'write() of Object (of ExtensionModule) failed: TypeError: it returned undefined instead of an object',
  },
  {
    name: 'logins whose check() returns false',
    provider: loginsWith({ check: () => false }),
    request: 'token',
    log: 'check() of Logins (of ExtensionModule) failed',
  },
  {
    name: 'logins whose open() returns no proof',
    provider: loginsWith({ open: async () => ({}) }),
    log: 'open() of Logins (of ExtensionModule) failed: TypeError: it returned an object instead of an opened login',
  },
  {
    name: 'tokens that are empty',
    tokens: { issueToken: async () => '' },
    log: 'issueToken() of tokens (of ExtensionModule) failed',
  },
  {
    name: 'tokens that begin like those of a credential',
    tokens: { issueToken: async () => 'ext_1' },
    provider: credentialWith({}),
    log: 'A credential resolves tokens that begin like those of tokens',
  },
  {
    name: 'a step that fails after the password',
    provider: stepWith({ afterFirstFactor: () => Promise.reject(new Error('no mail server')) }),
    log: 'afterFirstFactor() of Object (of ExtensionModule) failed: Error: no mail server',
  },
  {
    name: 'a step that fails after the login',
    provider: stepWith({ succeeded: () => Promise.reject(new Error('no counter')) }),
    log: 'succeeded() of Object (of ExtensionModule) failed: Error: no counter',
  },
  {
    name: 'a step that does not return the login',
    provider: stepWith({
      around: async (_attempt: unknown, check: () => Promise<unknown>) => {
        await check();
      },
    }),
    log: 'around() of Object (of ExtensionModule) failed: TypeError: it returned undefined instead of a login',
  },
  {
    name: 'a step whose needsEnrolment() returns a promise',
    provider: stepWith({ needsEnrolment: async () => false }),
    request: 'token',
    log: 'needsEnrolment() of Object (of ExtensionModule) failed: TypeError: it returned a promise',
  },
  {
    name: 'a step whose secondFactorsOf() returns a text',
    provider: stepWith({ secondFactorsOf: () => 'totp' }),
    request: 'full',
    log: 'secondFactorsOf() of Object (of ExtensionModule) failed: TypeError: it returned a string',
  },
];

const HANGING: readonly Broken[] = [
  { name: 'tokens that are not issued', tokens: { issueToken: never }, log: 'issueToken() of tokens' },
  {
    name: 'tokens that are not resolved',
    tokens: { resolve: never },
    request: 'token',
    log: 'resolve() of tokens',
  },
  {
    name: 'a credential',
    provider: credentialWith({ resolve: never }),
    request: 'credential',
    log: 'resolve() of Credential',
  },
  {
    name: 'a decision',
    provider: credentialWith({ authorize: never }),
    request: 'credential',
    log: 'authorize() of Credential',
  },
  { name: 'a hasher', provider: hasherWith({}), log: 'verify() of Object' },
  {
    name: 'a step before the check',
    provider: around(never, async () => undefined),
    log: 'around() of Object',
  },
  {
    name: 'a step after the check',
    provider: around(async () => undefined, never),
    log: 'around() of Object',
  },
  {
    name: 'a step after the password',
    provider: stepWith({ afterFirstFactor: never }),
    log: 'afterFirstFactor() of Object',
  },
  { name: 'a step after the login', provider: stepWith({ succeeded: never }), log: 'succeeded() of Object' },
  {
    name: 'second factors',
    provider: stepWith({ secondFactorsOf: never }),
    request: 'full',
    log: 'secondFactorsOf() of Object',
  },
  {
    name: 'a shown factor',
    provider: stepWith({ verifyFactor: never }),
    request: 'fresh',
    log: 'verifyFactor() of Object',
  },
  { name: 'answers', provider: transportWith({ write: never }), log: 'write() of Object' },
  { name: 'logins that are not opened', provider: loginsWith({ open: never }), log: 'open() of Logins' },
  {
    name: 'logins that are not checked',
    provider: loginsWith({ check: never }),
    request: 'token',
    log: 'check() of Logins',
  },
];

const unhandled = jest.fn();
process.on('unhandledRejection', unhandled);
afterAll(() => {
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe.each(BOTH)('50300 and a log line that names the extension, on %s', (platform) => {
  async function codeWith({ users, tokens, provider, request }: Broken) {
    const app = await testApp({
      platform,
      database: false,
      options: { extensionTimeoutMs: 100 },
      core: KitAuthModule.forRoot({
        extensionTimeoutMs: 100,
        users: moduleWith({ provide: AUTH_USER_STORE, useValue: Object.assign(new Users(), users) }),
      }),
      provider: moduleWith({ provide: AUTH_PROVIDER, useValue: Object.assign(new Tokens(), tokens) }),
      imports: provider === undefined ? [] : [moduleWith(provider)],
      controllers: [RouteController],
    });
    const issued = async () =>
      (await app.get<Tokens>(AUTH_PROVIDER).issueToken(loginUser(), {
        factors: { password: Math.floor(Date.now() / 1000) },
      })) as string;
    switch (request) {
      case 'credential':
        return { app, answer: await app.request('/v1/free', { token: 'ext_secret' }) };
      case 'token':
        return { app, answer: await app.request('/v1/free', { token: await issued() }) };
      case 'no token':
        return { app, answer: await app.request('/v1/free') };
      case 'full':
        return { app, answer: await app.request('/v1/full', { token: await issued() }) };
      case 'fresh':
        return {
          app,
          answer: await app.call(await issued(), 'POST', 'fresh', { factor: 'totp', code: '123456' }),
        };
      default:
        return { app, answer: await app.login('ada') };
    }
  }

  it.each(ODD)('$name', async (broken) => {
    const { app, answer } = await codeWith(broken);
    expect([answer.status, answer.json?.code]).toEqual([503, 50300]);
    expect(app.logs.ours().filter((line) => line.startsWith('error'))).toContainEqual(
      expect.stringContaining(broken.log as string),
    );
    expect(app.logs.all()).not.toContain('ext_secret');
    expect(app.logs.all()).not.toContain(PASSWORD);
  });

  it.each(HANGING)('$name that never end', async (broken) => {
    const { app, answer } = await codeWith(broken);
    expect([answer.status, answer.json?.code]).toEqual([503, 50300]);
    expect(app.logs.ours()).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^error \\[auth\\] ${(broken.log as string).replace(/[()]/g, '\\$&')} \\(of ExtensionModule\\) failed: ` +
            'DeadlineExceeded: it gave no answer in 100 ms',
        ),
      ),
    );
  });
});

describe('an extension', () => {
  it('may take longer where it says so', async () => {
    let release = (): void => undefined;
    const waiting = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
    const step = { timeoutMs: 60_000, afterFirstFactor: () => waiting };
    const app = await testApp({
      options: { extensionTimeoutMs: 100 },
      imports: [moduleWith(stepWith(step)), moduleWith(credentialWith({ resolve: never }))],
    });
    const login = app.login('admin', 'admin');
    // Takes a tenth of a second.
    expect(await app.codeOf('ext_1')).toBe(50300);
    release();
    expect((await login).status).toBe(200);
  });

  it('may take its time to write an answer, and ends the login if that fails', async () => {
    const write = jest.fn(async (answer: object): Promise<object> => ({ ...answer, written: true }));
    const app = await testApp({ provider: 'session', imports: [moduleWith(transportWith({ write }))] });
    const { status, json } = await app.login('admin', 'admin');
    expect([status, json.written, await app.stateOf(json.token)]).toEqual([200, true, 'live']);
    write.mockRejectedValueOnce(new Error('no cookies'));
    expect((await app.login('admin', 'admin')).json.code).toBe(50300);
    const [{ token }] = write.mock.calls.at(-1) as [{ token: string }];
    expect(await app.stateOf(token)).toBe('40101 logged-out');
  });

  it('is not blamed for the check that it waits for', async () => {
    const step = { around: (_attempt: unknown, check: () => Promise<unknown>) => check() };
    const app = await testApp({
      options: { extensionTimeoutMs: 100 },
      imports: [moduleWith({ provide: LOGIN_STEP, useValue: step }), moduleWith(hasherWith({}))],
    });
    expect((await app.login('admin', 'admin')).json.code).toBe(50300);
    expect(app.logs.all()).toContain('verify() of Object (of ExtensionModule) failed');
    expect(app.logs.all()).not.toContain('around()');
  });
});
