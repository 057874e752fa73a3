import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AUTH_PROVIDER, type AuthProvider, RouteAccessReport } from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { type AuthUser, SUPER_ADMIN } from 'kit-auth/typeorm';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthOtelModule } from 'kit-auth-otel';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, loginUser, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { modulesWithEndpoints } from '../openapi/modules-with-endpoints.js';
import { RegistrationApp } from '../registration/app.js';

const PREFIX = '/v1/api/auth/';
const MINUTE = 60_000;

/** What an endpoint is called with. */
interface Request {
  readonly json?: () => object;
  /** For `:id` of the path. Default: a user. */
  readonly id?: (app: WholeApp, token: string) => Promise<string>;
}

/** What an endpoint asks of the login of its caller. */
type Decision =
  | { readonly asks: 'fresh'; readonly with?: Request }
  /** Fresh for one request, and not for the other. */
  | {
      readonly asks: 'fresh when';
      readonly when: string;
      readonly with: Request;
      readonly otherwise: Request;
    }
  /** A fresh login of those who have no password, the current password of others: `no-password.suite.ts`. */
  | { readonly asks: 'first password'; readonly with?: Request }
  /** A fresh second factor of those who have one, otherwise as `fresh`. */
  | { readonly asks: 'second factor'; readonly with: Request; readonly takesRecovery: boolean }
  | { readonly asks: 'none'; readonly because: string; readonly with?: Request };

let made = 0;
const newName = () => `made-${++made}`;
const newUser = (...roles: string[]) => ({
  json: () => ({ username: newName(), password: PASSWORD, roles }),
});
const newRole = (permission: string) => ({
  json: () => ({ code: newName(), name: 'Made', permissions: [permission] }),
});
const invitation = (...roles: string[]) => ({
  json: () => ({ email: `${newName()}@example.com`, roles }),
});
const body = (json: object): Request => ({ json: () => json });

/** Every writing endpoint of all packages. A new one fails a test until there is a decision for it. */
const DECISIONS: Readonly<Record<string, Decision>> = {
  'POST login': { asks: 'none', because: 'it is open' },
  'POST logout': { asks: 'none', because: 'it ends the own session only' },
  'POST password': { asks: 'first password' },
  'POST fresh': { asks: 'none', because: 'it makes a login fresh' },
  'DELETE sessions': { asks: 'fresh' },
  'DELETE sessions/:id': {
    asks: 'fresh when',
    when: 'it is another session',
    with: { id: (app, token) => app.sessionOf(token, false) },
    otherwise: { id: (app, token) => app.sessionOf(token, true) },
  },

  'POST users': {
    asks: 'fresh when',
    when: 'the roles are administrative',
    with: newUser('member', SUPER_ADMIN),
    otherwise: newUser('member'),
  },
  'PATCH users/:id': {
    asks: 'fresh when',
    when: 'the status changes',
    with: body({ status: 'DISABLED' }),
    otherwise: body({ nickname: 'Ada', status: 'ENABLED' }),
  },
  'DELETE users/:id': { asks: 'fresh' },
  'PUT users/:id/roles': { asks: 'fresh', with: body({ roles: [] }) },
  'POST users/:id/password': { asks: 'fresh', with: body({ newPassword: PASSWORD }) },
  'POST users/:id/unlock': { asks: 'fresh' },
  'DELETE users/:id/sessions': { asks: 'fresh' },
  'DELETE users/:id/sessions/:sessionId': { asks: 'fresh' },
  'POST roles': {
    asks: 'fresh when',
    when: 'the permissions are administrative',
    with: newRole('auth:user:write'),
    otherwise: newRole('note:write'),
  },
  'PATCH roles/:code': { asks: 'fresh', with: body({ name: 'Renamed' }) },
  'DELETE roles/:code': { asks: 'fresh' },

  'POST email': {
    asks: 'second factor',
    takesRecovery: false,
    with: { json: () => ({ email: `${newName()}@example.com` }) },
  },
  'DELETE email/pending': { asks: 'none', because: 'it stops a change of the own address' },
  'POST email/verify': { asks: 'none', because: 'it sends a mail to the address that the user has' },
  'POST email/confirm': { asks: 'none', because: 'it is open, and takes a link' },
  'POST password/forgot': { asks: 'none', because: 'it is open' },
  'POST password/reset': { asks: 'none', because: 'it is open, and takes a link' },
  'POST users/:id/reset-link': { asks: 'fresh' },
  'POST login/link': { asks: 'none', because: 'it is open' },
  'POST login/link/complete': { asks: 'none', because: 'it is open, and takes a link or a code' },

  'POST register': { asks: 'none', because: 'it is open' },
  'POST register/complete': { asks: 'none', because: 'it is open, and takes a link' },
  'POST invitations': {
    asks: 'fresh when',
    when: 'the roles are administrative',
    with: invitation('member', SUPER_ADMIN),
    otherwise: invitation('member'),
  },
  'DELETE invitations/:id': { asks: 'none', because: 'it grants nothing' },

  'POST login/factor': { asks: 'none', because: 'it is open, and takes a challenge' },
  'POST factors/totp': { asks: 'second factor', takesRecovery: true, with: body({ name: 'Phone' }) },
  'POST factors/totp/:id/confirm': {
    asks: 'none',
    because: 'it completes what a fresh login began',
    with: body({ code: '000000' }),
  },
  'POST factors/recovery': { asks: 'second factor', takesRecovery: true, with: {} },
  'DELETE factors/:id': { asks: 'second factor', takesRecovery: true, with: {} },
  'DELETE users/:id/factors': { asks: 'fresh' },

  'POST login/passkey/options': { asks: 'none', because: 'it is open' },
  'POST login/passkey': { asks: 'none', because: 'it is open' },
  'POST login/factor/options': { asks: 'none', because: 'it is open, and takes a challenge' },
  'POST fresh/options': { asks: 'none', because: 'it begins to make a login fresh' },
  'POST passkeys/options': { asks: 'second factor', takesRecovery: true, with: body({}) },
  'POST passkeys': { asks: 'second factor', takesRecovery: true, with: body({}) },
  'PATCH passkeys/:id': { asks: 'none', because: 'it changes a name', with: body({ name: 'Phone' }) },
  'DELETE passkeys/:id': { asks: 'second factor', takesRecovery: true, with: {} },
  'DELETE users/:id/passkeys': { asks: 'fresh' },
  'DELETE users/:id/passkeys/:passkeyId': { asks: 'fresh' },

  'POST oidc/exchange': { asks: 'none', because: 'it is open, and takes a code' },
  'POST oidc/complete': { asks: 'none', because: 'it is open, and takes a token' },
  'POST oidc/:name/backchannel-logout': { asks: 'none', because: 'it is open, and takes a logout token' },
  'POST oidc/:name/link': { asks: 'second factor', takesRecovery: true, with: body({}) },
  'POST oidc/:name/fresh': { asks: 'none', because: 'it begins to make a login fresh', with: body({}) },
  'POST oidc/logout': { asks: 'none', because: 'it ends the login' },
  'DELETE identities/:id': { asks: 'second factor', takesRecovery: true, with: {} },
  'DELETE users/:id/identities': { asks: 'fresh' },
  'DELETE users/:id/identities/:identityId': { asks: 'fresh' },

  'POST keys': {
    asks: 'second factor',
    takesRecovery: false,
    with: body({ name: 'Script', abilities: ['note:read'] }),
  },
  'DELETE keys/:id': { asks: 'none', because: 'it ends a key of the user' },
  'DELETE users/:id/keys': { asks: 'fresh' },
  'DELETE users/:id/keys/:keyId': { asks: 'fresh' },

  'POST token/refresh': { asks: 'none', because: 'it is open, and takes a refresh token' },
  'POST token/end': { asks: 'none', because: 'it is open, and takes a refresh token' },
};

/** An application with every package that has endpoints. */
class WholeApp extends RegistrationApp {
  constructor({ imports = [], ...options }: TestAppOptions) {
    super({
      admin: true,
      email: { adminSetsPasswords: true, loginLinks: true },
      ...options,
      imports: [...modulesWithEndpoints(), KitAuthOtelModule, ...imports],
    });
  }

  override async start(): Promise<this> {
    await super.start();
    await this.role({ code: 'member', permissions: ['note:read'] });
    return this;
  }

  /** The endpoints of the packages, named as in the table. */
  routes(): { endpoint: string; method: string; handler: string }[] {
    return this.get(RouteAccessReport)
      .routes()
      .filter(({ path }) => path.startsWith(PREFIX))
      .map(({ method, path, handler }) => ({
        method,
        handler,
        endpoint: `${method} ${path.slice(PREFIX.length)}`,
      }));
  }

  async sessionOf(token: string, isCurrent: boolean): Promise<string> {
    const sessions = (await this.call(token, 'GET', 'sessions')).json as { id: string; current: boolean }[];
    return sessions.find(({ current }) => current === isCurrent)!.id;
  }

  /** A token of a user who showed each factor so many minutes ago. */
  tokenOfProof({ id, username }: AuthUser, minutes: Record<string, number>): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const entries = Object.entries(minutes).map(([factor, ago]) => [factor, now - ago * 60]);
    const user = loginUser({ userId: id, username, roles: ['member'], permissions: ['note:read'] });
    return this.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, { factors: Object.fromEntries(entries) });
  }

  /** The status of an answer, or the code of a refusal and what is missing. */
  async answerTo(token: string, endpoint: string, { json, id }: Request = {}): Promise<string> {
    const [method = '', template = ''] = endpoint.split(' ');
    const path = template
      .replace(':id', (await id?.(this, token)) ?? `${(await this.user()).id}`)
      .replace(/:\w+/, 'none');
    const answer = await this.call(token, method, path, json?.());
    const { code, missing = [] } = (answer.json ?? {}) as { code?: unknown; missing?: string[] };
    return typeof code === 'number' ? [code, ...missing].join(' ') : `${answer.status}`;
  }
}

const KINDS = [
  {
    platform: 'express',
    provider: 'jwt',
    imports: [KitAuthRefreshModule.forRoot({ accessMinutes: 60 })],
  },
  { platform: 'fastify', provider: 'session' },
] as const satisfies TestAppOptions[];

afterEach(() => {
  jest.useRealTimers();
});

describe.each(KINDS)('the endpoints of all packages on $platform with $provider', (kind) => {
  const app = sharedTestApp(new WholeApp(kind));
  let stale: string;
  let fresh: string;
  beforeEach(async () => {
    const pass = freezeDate();
    stale = await app.adminToken();
    pass(11 * MINUTE);
    fresh = await app.adminToken();
  });

  /** The endpoints of the table that the application has. */
  const hasEndpoint = (endpoint: string) => kind.provider === 'jwt' || !endpoint.startsWith('POST token/');
  const endpoints = <Asks extends Decision['asks']>(asks: Asks) =>
    Object.entries(DECISIONS).filter(
      (entry): entry is [string, Extract<Decision, { asks: Asks }>] =>
        entry[1].asks === asks && hasEndpoint(entry[0]),
    );
  const STALE = '40120 password';

  it('that write have a decision each', () => {
    const writing = app.routes().filter(({ method }) => method !== 'GET');
    expect(writing.map(({ endpoint }) => endpoint).sort()).toEqual(
      Object.keys(DECISIONS).filter(hasEndpoint).sort(),
    );
  });

  it.each(endpoints('fresh'))('%s needs a fresh login', async (endpoint, { with: request }) => {
    expect(await app.answerTo(stale, endpoint, request)).toBe(STALE);
    expect(await app.answerTo(fresh, endpoint, request)).not.toMatch(/^40[13]/);
  });

  it.each(endpoints('fresh when'))(
    '%s needs a fresh login when $when',
    async (endpoint, { with: request, otherwise }) => {
      expect(await app.answerTo(stale, endpoint, request)).toBe(STALE);
      expect(await app.answerTo(fresh, endpoint, request)).toMatch(/^20[014]$/);
      expect(await app.answerTo(stale, endpoint, otherwise)).toMatch(/^20[014]$/);
    },
  );

  it.each(endpoints('none'))('%s needs none: $because', async (endpoint, { with: request }) => {
    expect(await app.answerTo(stale, endpoint, request)).not.toMatch(/^40120/);
  });

  it.each(endpoints('second factor'))(
    '%s needs a fresh second factor of those who have one',
    async (endpoint, { with: request, takesRecovery }) => {
      const [user, enrolled] = [await app.user({ roles: ['member'] }), await app.user({ roles: ['member'] })];
      await enrolFactor(app.nest, enrolled.id);
      const answer = async (who: AuthUser, minutes: Record<string, number>) =>
        app.answerTo(await app.tokenOfProof(who, minutes), endpoint, request);
      const PASSES = /^(?:20[0124]|40000|40400|40900)$/;
      expect(await answer(user, { password: 11 })).toBe('40120 password');
      expect(await answer(user, { password: 9 })).toMatch(PASSES);
      expect(await answer(enrolled, { password: 0 })).toBe('40120 totp');
      expect(await answer(enrolled, { password: 0, totp: 180 })).toBe('40120 totp');
      expect(await answer(enrolled, { password: 0, recovery: 11 })).toBe('40120 totp');
      expect(await answer(enrolled, { password: 0, email: 0, oidc: 0 })).toBe('40120 totp');
      expect(await answer(enrolled, { password: 180, totp: 9 })).toMatch(PASSES);
      const withRecovery = await answer(enrolled, { password: 0, recovery: 9 });
      expect(withRecovery).toMatch(takesRecovery ? PASSES : /^40120 totp$/);
    },
  );

  it('say in their descriptions whether they may ask', () => {
    const created = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const document = documentKitAuth(created, app.nest);
    const asking = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { responses: Record<string, { description: string }> }>)
        .filter(([, { responses }]) => responses['401']?.description.includes('40120'))
        .map(([method]) => `${method.toUpperCase()} ${path.slice(PREFIX.length)}`),
    );
    const decided = Object.entries(DECISIONS).filter(([, { asks }]) => asks !== 'none');
    expect(asking.sort()).toEqual(decided.map(([endpoint]) => endpoint.replace(/:(\w+)/g, '{$1}')).sort());
  });
});

describe.each(KINDS)('with freshAdmin: false, on $platform with $provider', (kind) => {
  const app = sharedTestApp(new WholeApp({ ...kind, admin: { freshAdmin: false } }));
  const CONTROLLERS = /^KitAuth(?:User|UserSessions|Role)Controller\./;

  it('the endpoints of kit-auth-admin need no fresh login, and all others do', async () => {
    const pass = freezeDate();
    await app.adminToken(); // another session
    const stale = await app.adminToken();
    pass(11 * MINUTE);
    const asking: string[] = [];
    for (const [endpoint, { asks, with: request }] of Object.entries(DECISIONS)) {
      if (asks.startsWith('fresh') && (await app.answerTo(stale, endpoint, request)).startsWith('40120')) {
        asking.push(endpoint);
      }
    }
    const ofAdmin = app.routes().filter(({ handler }) => CONTROLLERS.test(handler));
    const left = Object.keys(DECISIONS).filter(
      (name) =>
        DECISIONS[name]!.asks.startsWith('fresh') && !ofAdmin.some(({ endpoint }) => endpoint === name),
    );
    expect(asking).toEqual(left);
    expect(left).toHaveLength(11);
  });
});

/** With the endpoints of `kit-auth-admin`, for other user stores: `user-list.spec.ts`. */
const OF_OWN_USERS = ['KitAuthUserStatusController'];

it('every controller of the packages is in one of these applications', async () => {
  const files = readdirSync('packages', { recursive: true, encoding: 'utf8' });
  const controllers = files
    .filter((file) => /^[^/]+\/src\/.*\.controller\.ts$/.test(file))
    .flatMap((file) => {
      const [, name] =
        /^@KitAuthController[^]*^export class (\w+)/m.exec(readFileSync(join('packages', file), 'utf8')) ??
        [];
      return name === undefined ? [] : [name];
    });
  const app = await new WholeApp(KINDS[0]).start();
  const handlers = new Set([...OF_OWN_USERS, ...app.routes().map(({ handler }) => handler.split('.')[0])]);
  expect(controllers.length).toBeGreaterThan(10);
  expect(controllers.filter((controller) => !handlers.has(controller))).toEqual([]);
});
