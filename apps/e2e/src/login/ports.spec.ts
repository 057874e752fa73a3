import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  AuthErrorCode,
  AuthException,
  AuthManager,
  LOGIN_STEP,
  type LoginStep,
  Public,
  RequireFresh,
  RequirePermissions,
  type RequestedRoute,
  type ResolvedLogin,
  RouteAccessReport,
  type ShownAnswer,
  type VerifiedLogin,
} from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { documentKitAuth } from 'kit-auth/openapi';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { EVERYWHERE, loginUser, sharedTestApp, testApp } from 'test-support';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }

  @Get('own')
  @RequireFresh({ factors: ['totp'] })
  own() {
    return [];
  }

  @Get('published')
  @Public()
  published() {
    return [];
  }
}

/** Users named `auditor...` need a second factor. The code of all is 123456. */
@Injectable()
class PinStep implements LoginStep {
  constructor(private readonly users: ActiveUserStore) {}

  needsEnrolment({ user, proof }: ResolvedLogin): boolean {
    if (user.username === 'broken') {
      throw new TypeError('a bug');
    }
    return user.username.startsWith('auditor') && proof.factors['totp'] === undefined;
  }

  async verifyFactor({ user, factor, answer }: ShownAnswer): Promise<VerifiedLogin | undefined> {
    if (factor !== 'totp') {
      return undefined;
    }
    if (answer !== '123456') {
      throw new AuthException(AuthErrorCode.FACTOR_FAILED);
    }
    const stamp = (await this.users.stampOf(user.userId)) ?? '';
    return { user, stamp, proof: { factors: { totp: Math.floor(Date.now() / 1000) } } };
  }
}

/** Tokens such as `pin_reader.7` belong to user 7. They may call routes that require permissions. */
@Injectable()
class PinCredential implements AuthCredential {
  readonly prefix = 'pin_';
  readonly scheme = 'pin';
  readonly admittedTokens: string[] = [];

  resolve(token: string): ResolvedLogin {
    const [, username = '', id] = /^pin_(\w+)\.(\d+)$/.exec(token) ?? [];
    const permissions = ['note:read'];
    return {
      user: loginUser({ userId: Number(id), username, permissions }),
      proof: { factors: { key: 1 } },
    };
  }

  authorize(_principal: unknown, route: RequestedRoute): void {
    if (!this.allows(route)) {
      throw new AuthException(AuthErrorCode.KEY_NOT_ALLOWED);
    }
  }

  allows({ requirements, ours }: RequestedRoute): boolean {
    return !ours && requirements.some(({ kind }) => kind === 'permission');
  }

  admitted({ token }: { token: string }): void {
    this.admittedTokens.push(token);
  }
}

@Module({
  providers: [
    PinCredential,
    { provide: AUTH_CREDENTIAL, useExisting: PinCredential },
    { provide: LOGIN_STEP, useClass: PinStep },
  ],
})
class PinModule {}

const options = { imports: [PinModule], controllers: [NotesController] };

describe.each(EVERYWHERE)('a step and a credential on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, ...options });
  const codeOf = async (token: string | undefined, path: string) => {
    const { status, json } = await app.request(path, token === undefined ? {} : { token });
    return json.code ?? status;
  };

  it('let users who need a second factor do nothing before they have one', async () => {
    const reader = await app.role({ code: 'reader', permissions: ['note:read'] });
    const auditor = await app.user({ username: 'auditor', roles: [reader] });
    const token = await app.tokenOf(auditor);
    expect(await codeOf(token, '/v1/notes')).toBe(40303);
    expect(await codeOf(token, '/v1/notes/published')).toBe(200);
    expect((await app.call(token, 'GET', 'sessions')).json.code).toBe(40303);
    expect((await app.call(token, 'POST', 'password', {})).json.code).toBe(40303);
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
    const fresh = await app.call(token, 'POST', 'fresh', { factor: 'totp', code: '123456' });
    expect(fresh.status).toBe(200);
    expect(await codeOf(fresh.json.token as string, '/v1/notes')).toBe(200);
    expect((await app.call(token, 'POST', 'logout')).status).toBeLessThan(500);
  });

  it('let users choose a required password before they set up a factor', async () => {
    const auditor = await app.user({ username: 'auditor2', mustChangePassword: true });
    const token = await app.tokenOf(auditor);
    expect(await codeOf(token, '/v1/notes')).toBe(40301);
    expect((await app.call(token, 'POST', 'password', {})).json.code).toBe(40000);
  });

  it('answer 50300 when the step fails', async () => {
    const token = await app.tokenOf(await app.user({ username: 'broken' }));
    expect(await codeOf(token, '/v1/notes')).toBe(50300);
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
  });

  it('confirm a login with a factor', async () => {
    const token = await app.tokenOf(await app.user());
    const post = async (body: object) => (await app.call(token, 'POST', 'fresh', body)).json.code;
    expect(await codeOf(token, '/v1/notes/own')).toBe(40120);
    expect(await post({ factor: 'totp', code: '654321' })).toBe(40113);
    expect(await post({ factor: 'recovery', code: '123456' })).toBe(40000);
    expect(await post({ factor: 'totp' })).toBe(40000);
    expect(await post({ factor: 7, code: '123456' })).toBe(40000);
    const { json } = await app.call(token, 'POST', 'fresh', { factor: 'totp', code: '123456' });
    expect(await codeOf(json.token as string, '/v1/notes/own')).toBe(200);
  });

  it('do not ask tokens of credentials for an enrolment, and tell the credential what was let in', async () => {
    const { id } = await app.user({ username: 'auditor3' });
    const { admittedTokens } = app.get(PinCredential);
    const token = `pin_auditor3.${id}`;
    expect(await codeOf(token, '/v1/notes/own')).toBe(40304);
    expect(await codeOf(token, '/v1/notes/published')).toBe(200);
    expect(admittedTokens).toEqual([]);
    expect(await codeOf(token, '/v1/notes')).toBe(200);
    expect(admittedTokens).toEqual([token]);
  });

  it('keep tokens of the credential from code that asks for the user of a login', async () => {
    const manager = app.get(AuthManager);
    await expect(manager.getLoginUser('pin_ada.7')).rejects.toMatchObject({ code: 40304 });
    expect(await manager.getLoginUser('pin_ada.7', { credentials: true })).toMatchObject({ userId: 7 });
  });

  it('show in the report what tokens of the credential may call', () => {
    const callable = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ credentials }) => credentials !== undefined);
    expect(callable).toMatchObject([{ path: '/v1/notes', credentials: ['pin'] }]);
  });

  it('have a security scheme of their own in an OpenAPI document', () => {
    const created = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const { paths, components } = documentKitAuth(created, app.nest);
    const locks = ['', '/own', '/published'].map((path) => paths[`/v1/notes${path}`]?.get?.security);
    expect(locks).toEqual([[{ bearer: [] }, { pin: [] }], [{ bearer: [] }], []]);
    expect(components?.securitySchemes?.['pin']).toEqual({ type: 'http', scheme: 'bearer' });
  });

  it('add the codes of their refusals to an OpenAPI document', () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const { paths } = documentKitAuth(document, app.nest);
    const refusal = paths['/v1/api/auth/sessions']?.get?.responses['403'];
    expect(refusal).toMatchObject({
      description: '40301 PASSWORD_CHANGE_REQUIRED, 40303 FACTOR_ENROLMENT_REQUIRED',
    });
    expect(paths['/v1/api/auth/me']?.get?.responses['403']).toBeUndefined();
  });
});

it('a token of a credential in a cookie is ignored', async () => {
  const { imports, ...rest } = options;
  const app = await testApp({ ...rest, imports: [...imports, KitAuthBrowserModule.forRoot()] });
  const { id } = await app.user();
  const { json } = await app.request('/v1/notes', {
    headers: [`Cookie: __Host-kit-auth=pin_ada.${id}`, 'Sec-Fetch-Site: same-origin'],
  });
  expect(json.code).toBe(40100);
});
