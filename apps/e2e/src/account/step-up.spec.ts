import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Injectable, Module, Req } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import bcrypt from 'bcrypt';
import {
  AUTH_CREDENTIAL,
  AUTH_EVENT_SINK,
  AUTH_PROVIDER,
  type AuthCredential,
  AuthErrorCode,
  type AuthEvent,
  AuthException,
  type AuthProvider,
  IllegalStateException,
  LOGIN_STEP,
  type LoginProof,
  type LoginStep,
  type LoginUser,
  Public,
  RequireFresh,
  RequireRoles,
  type ResolvedLogin,
  RouteAccessReport,
} from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, freezeDate, loginUser, PASSWORD, sharedTestApp, testApp } from 'test-support';

@Controller('v1/keys')
class KeysController {
  @Get()
  @RequireFresh()
  list() {
    return 'keys';
  }

  @Get('soon')
  @RequireFresh('90s')
  soon() {
    return 'soon';
  }

  @Get('full')
  @RequireFresh({ within: '1h', factors: 'full' })
  full() {
    return 'full';
  }

  @Get('passkey')
  @RequireFresh({ factors: ['passkey', 'email'] })
  passkey() {
    return 'passkey';
  }

  @Get('role')
  @RequireFresh()
  @RequireRoles('editor')
  role() {
    return 'role';
  }

  @Get('own')
  own() {
    const missing = ['passkey'];
    throw new AuthException(AuthErrorCode.FRESH_LOGIN_REQUIRED, { missing, details: { maxAge: 300 } });
  }
}

@Controller('v1/vault')
@RequireFresh('1h')
class VaultController {
  @Get()
  open() {
    return 'vault';
  }
}

/** Users named `totp...` have a second factor. */
@Injectable()
class SecondFactors implements LoginStep {
  secondFactorsOf({ username }: { username: string }) {
    const factors = username.startsWith('totp') ? ['totp', 'passkey'] : [];
    return username.endsWith('later') ? Promise.resolve(factors) : factors;
  }
}

@Injectable()
class KeyCredential implements AuthCredential {
  readonly scheme = 'key';
  readonly prefix = 'shop_key_';

  resolve(): ResolvedLogin {
    return { user: loginUser(), proof: { factors: { key: Math.floor(Date.now() / 1000) } } };
  }
}

const noted: AuthEvent[] = [];
const providers = [
  { provide: AUTH_EVENT_SINK, useValue: { keep: async (event: AuthEvent) => void noted.push(event) } },
  { provide: LOGIN_STEP, useClass: SecondFactors },
  { provide: AUTH_CREDENTIAL, useClass: KeyCredential },
];
const MINUTE = 60_000;

describe.each(EVERYWHERE)('@RequireFresh() on $platform with $provider', (where) => {
  const controllers = [KeysController, VaultController];
  const app = sharedTestApp({ ...where, controllers, providers });
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const get = (token: string | undefined, path = '') => app.request(`/v1/keys${path}`, { token });
  const codeOf = async (token: string, path = '') => await app.codeOf(token, `/v1/keys${path}`);
  const fresh = (token: string | undefined, password: unknown = PASSWORD) =>
    app.call(token, 'POST', 'fresh', { password });
  /** A token of the application for somebody who proved this. */
  const tokenWith = async (factors: object, username?: string) => {
    const { id } = await app.user({ ...(username !== undefined && { username }) });
    const proof = { factors } as LoginProof;
    const user = loginUser({ userId: id, ...(username !== undefined && { username }) });
    return app.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, proof);
  };
  const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

  it('passes for ten minutes after a login, and after POST fresh', async () => {
    const { username, id } = await app.user();
    const token = await app.tokenOf(username);
    pass(10 * MINUTE);
    expect(await codeOf(token)).toBe(200);
    pass(1000);
    const refused = await get(token);
    expect(refused.json).toEqual({
      statusCode: 401,
      code: 40120,
      error: 'FRESH_LOGIN_REQUIRED',
      message: expect.any(String),
      missing: ['password'],
      reason: 'expired',
      maxAge: 600,
    });
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="kit-auth", error="insufficient_user_authentication", max_age="600"',
    );
    expect(refused.headers['cache-control']).toBe('no-store');
    expect(await app.stateOf(token)).toBe('live');

    const answer = await fresh(token);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json).toEqual({
      token: expect.any(String),
      user: { userId: id, username, nickname: username, superAdmin: false },
    });
    expect(answer.json.token).not.toBe(token);
    expect(await codeOf(answer.json.token)).toBe(200);
    expect(await codeOf(token)).not.toBe(200);
    pass(10 * MINUTE + 1000);
    expect(await codeOf(answer.json.token)).toBe(40120);
  });

  it('takes the time and the factors that it is given', async () => {
    const token = await tokenWith({ password: ago(90) });
    expect(await codeOf(token, '/soon')).toBe(200);
    pass(1000);
    const { json, headers } = await get(token, '/soon');
    expect([json.code, json.maxAge]).toEqual([40120, 90]);
    expect(headers['www-authenticate']).toContain('max_age="90"');
    const missing = await get(token, '/passkey');
    expect(missing.json).toMatchObject({ missing: ['passkey', 'email'], reason: 'missing' });
    expect(await codeOf(await tokenWith({ email: ago(1) }), '/passkey')).toBe(200);
    expect(await app.codeOf(await tokenWith({ oidc: ago(3600) }), '/v1/vault')).toBe(200);
    expect(await app.codeOf(await tokenWith({ oidc: ago(3601) }), '/v1/vault')).toBe(40120);
  });

  it.each(['later', 'now'])(
    'asks for the password and a second factor, if there is one, %s',
    async (when) => {
      const now = ago(0);
      const both = await tokenWith({ password: now, totp: now }, `totp-1-${when}`);
      expect(await codeOf(both, '/full')).toBe(200);
      const password = await tokenWith({ password: now }, `totp-2-${when}`);
      expect((await get(password, '/full')).json).toMatchObject({
        code: 40120,
        missing: ['totp', 'passkey'],
        reason: 'missing',
      });
    },
  );

  it('asks nobody for a password who lacks the role', async () => {
    const token = await app.tokenOf(await app.user());
    pass(11 * MINUTE);
    expect(await codeOf(token, '/role')).toBe(40300);
  });

  it('is not met by a token without proof, nor by weak factors', async () => {
    const refused = await get(await tokenWith({}));
    expect(refused.json).toMatchObject({ code: 40120, reason: 'missing' });
    expect(await codeOf(await tokenWith({ key: ago(0), email: ago(0), recovery: ago(0) }))).toBe(40120);
    const key = 'shop_key_1';
    expect(await codeOf(key)).toBe(40120);
    expect((await fresh(key)).json).toMatchObject({ code: 40300 });
  });

  it('gives an exception of the application the same headers', async () => {
    const { status, json, headers } = await get(await app.tokenOf(await app.user()), '/own');
    expect([status, json]).toEqual([401, expect.objectContaining({ missing: ['passkey'], maxAge: 300 })]);
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="kit-auth", error="insufficient_user_authentication", max_age="300"',
    );
  });

  it('ends nothing after a wrong password, and takes the password of this user only', async () => {
    const { username } = await app.user();
    const other = await app.user({ password: 'the password of another' });
    const token = await app.tokenOf(username);
    const wrong = await fresh(token, 'the password of another');
    expect([wrong.status, wrong.json.code]).toEqual([401, 40110]);
    expect(await codeOf(token)).toBe(200);
    for (const junk of ['', 7, null, ['x'], 'x'.repeat(1025)]) {
      expect((await fresh(token, junk)).json.code).toBe(40000);
    }
    expect((await fresh(undefined)).json.code).toBe(40100);
    // Somebody else got the name of the user meanwhile.
    await app.users.update({ username }, { username: `${username}-renamed` });
    await app.users.update({ id: other.id }, { username });
    expect((await fresh(token, 'the password of another')).json.code).toBe(40110);
    expect(await codeOf(token)).toBe(200);
  });

  it('leaves out former factors whose names tokens cannot carry', async () => {
    const token = await app.tokenOf(await app.user());
    const provider = app.get<Required<AuthProvider>>(AUTH_PROVIDER);
    const { user, proof } = await provider.resolve(token);
    const names = '{"__proto__":1,"constructor":1,"prototype":1,"oidc":1}';
    const factors = JSON.parse(names) as LoginProof['factors'];
    jest.spyOn(provider, 'resolve').mockReturnValueOnce({ user, proof: { ...proof, factors } });
    const { json } = await fresh(token);
    const confirmed = await provider.resolve(json.token as string);
    expect(Object.keys(confirmed.proof.factors).sort()).toEqual(['oidc', 'password']);
  });

  it('refuses a user who was disabled, or whose password changed, meanwhile', async () => {
    const disabled = await app.user();
    const token = await app.tokenOf(disabled);
    await app.users.update({ id: disabled.id }, { status: AuthUserStatus.DISABLED });
    expect((await fresh(token)).status).toBe(401);

    const changed = await app.user();
    const former = await app.tokenOf(changed);
    const compare = bcrypt.compare.bind(bcrypt) as (a: string, b: string) => Promise<boolean>;
    jest.spyOn(bcrypt, 'compare').mockImplementationOnce((async (password: string, hash: string) => {
      const isRight = await compare(password, hash);
      await app.users.update({ id: changed.id }, { securityStamp: 'another' });
      return isRight;
    }) as never);
    expect((await fresh(former)).json.code).toBe(40110);
  });

  it('is an event', async () => {
    const { username, id } = await app.user();
    await fresh(await app.tokenOf(username));
    expect(noted).toContainEqual(
      expect.objectContaining({ type: 'login-confirmed', subjectId: id, subject: username, success: true }),
    );
  });

  it('shows in the route report and in the OpenAPI document', () => {
    const routes = app.get(RouteAccessReport).routes();
    const requiresOf = (path: string) =>
      routes.find((route) => `${route.method} ${route.path}` === path)?.requires;
    expect(requiresOf('GET /v1/keys/passkey')).toEqual([
      { kind: 'fresh', within: 600, factors: ['passkey', 'email'] },
    ]);
    expect(requiresOf('GET /v1/keys/role')).toEqual([
      { kind: 'role', names: ['editor'], mode: 'all' },
      { kind: 'fresh', within: 600, factors: 'any' },
    ]);
    expect(requiresOf('DELETE /v1/api/auth/sessions')).toEqual([
      { kind: 'fresh', within: 600, factors: 'any' },
    ]);
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    documentKitAuth(document, app.nest);
    const unauthorized = (path: string, method: 'get' | 'delete') =>
      (document.paths[path]?.[method]?.responses['401'] as { description: string } | undefined)?.description;
    expect(unauthorized('/v1/keys', 'get')).toBe('40120 FRESH_LOGIN_REQUIRED');
    expect(unauthorized('/v1/keys/own', 'get')).toBeUndefined();
    expect(unauthorized('/v1/api/auth/sessions', 'delete')).toBe(
      '40100 TOKEN_MISSING, 40101 TOKEN_INVALID, 40120 FRESH_LOGIN_REQUIRED',
    );
  });
});

it('POST fresh evaluates five of twenty parallel guesses', async () => {
  const app = await testApp();
  const token = await app.tokenOf(await app.user());
  const compare = jest.spyOn(bcrypt, 'compare').mockImplementation((() => Promise.resolve(false)) as never);
  const guess = () => app.call(token, 'POST', 'fresh', { password: 'a wrong one' });
  const codes = (await Promise.all(Array.from({ length: 20 }, guess))).map(({ json }) => json.code as number);
  expect(codes.filter((code) => code === 40110)).toHaveLength(5);
  expect(codes.filter((code) => code === 42900)).toHaveLength(15);
  expect(compare).toHaveBeenCalledTimes(5);
  compare.mockRestore();
  expect(await app.stateOf(token)).toBe('live');
});

describe('an implementation without proof', () => {
  @Injectable()
  class PlainProvider implements AuthProvider {
    readonly extensionName = 'plain';
    private readonly users = new Map<string, LoginUser>();

    async issueToken(user: LoginUser) {
      const token = `plain-${this.users.size}`;
      this.users.set(token, user);
      return token;
    }

    resolveToken(token: string) {
      return this.users.get(token) as LoginUser;
    }

    async invalidate() {}
  }
  @Module({ providers: [{ provide: AUTH_PROVIDER, useClass: PlainProvider }] })
  class PlainModule {}

  it('cannot be used with @RequireFresh(), and start-up says where and why', async () => {
    const starting = testApp({ provider: PlainModule, controllers: [VaultController] });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(/^VaultController\.open has @RequireFresh\(\), .+keepsProof/);
  });

  it('does without it at our endpoints, and cannot confirm logins', async () => {
    const app = await testApp({ provider: PlainModule, admin: true });
    const required = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ requires = [] }) => requires.some(({ kind }) => kind === 'fresh'));
    expect(required).toEqual([]);
    const token = await app.adminToken();
    expect((await app.call(token, 'DELETE', 'sessions')).json.code).toBe(50100);
    expect((await app.call(token, 'POST', 'fresh', { password: 'admin' })).json.code).toBe(50100);
    const { id } = await app.user();
    expect((await app.call(token, 'DELETE', `users/${id}`)).status).toBe(204);
  });
});

describe('a resolver of GraphQL', () => {
  it('can require a fresh login', async () => {
    class Resolver {
      @RequireFresh()
      secret() {
        return 'secret';
      }
    }
    /** Stands for a GraphQL server, which calls resolvers like this. */
    @Controller('v1/graphql')
    @Public()
    class GraphController {
      constructor(private readonly contexts: ExternalContextCreator) {}

      @Get()
      run(@Req() req: unknown) {
        const resolver = new Resolver();
        const handler = Reflect.get(resolver, 'secret') as () => unknown;
        const args = [resolver, handler, 'secret', '', undefined, undefined, undefined] as const;
        return this.contexts.create(...args, undefined, 'graphql')(undefined, {}, { req });
      }
    }
    const app = await testApp({ controllers: [GraphController] });
    const { username } = await app.user();
    const token = await app.tokenOf(username);
    expect(await app.codeOf(token, '/v1/graphql')).toBe(200);
    const pass = freezeDate();
    pass(11 * MINUTE);
    expect(await app.codeOf(token, '/v1/graphql')).toBe(40120);
    jest.useRealTimers();
  });
});
