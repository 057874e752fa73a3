import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider, RouteAccessReport } from 'kit-auth';
import { type AuthUser, SUPER_ADMIN } from 'kit-auth/typeorm';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthOtelModule } from 'kit-auth-otel';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, loginUser, OpenApi, PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { modulesWithEndpoints } from '../openapi/modules-with-endpoints.js';
import { RegistrationApp } from '../registration/app.js';

/** For other user stores, beside the endpoints of `kit-auth-admin` (`user-list.spec.ts`); of the package to copy. */
const ELSEWHERE = [
  'KitAuthUserStatusController',
  'KitAuthUserListController',
  'KitAuthHelloController',
  'KitAuthJwksController',
  'KitAuthWellKnownJwksController',
];
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
  /** The factors of its `@RequireFresh()`. */
  | 'any'
  | 'second'
  | 'second-or-recovery'
  /** Fresh for one request, and not for the other. */
  | { readonly when: string; readonly with: Request; readonly otherwise: Request }
  | { readonly none: string };

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
  'POST login': { none: 'it is open' },
  'POST logout': { none: 'it ends the own session only' },
  'POST password': {
    none: 'it takes the current password, or a fresh login of those who have none: no-password.suite.ts',
  },
  'POST fresh': { none: 'it makes a login fresh' },
  'DELETE sessions': 'any',
  'DELETE sessions/:id': {
    when: 'it is another session',
    with: { id: (app, token) => app.sessionOf(token, false) },
    otherwise: { id: (app, token) => app.sessionOf(token, true) },
  },

  'POST users': {
    when: 'the roles are administrative',
    with: newUser('member', SUPER_ADMIN),
    otherwise: newUser('member'),
  },
  'PATCH users/:id': {
    when: 'the status changes',
    with: body({ status: 'DISABLED' }),
    otherwise: body({ nickname: 'Ada', status: 'ENABLED' }),
  },
  'DELETE users/:id': 'any',
  'PUT users/:id/roles': 'any',
  'POST users/:id/password': 'any',
  'POST users/:id/unlock': 'any',
  'DELETE users/:id/sessions': 'any',
  'DELETE users/:id/sessions/:sessionId': 'any',
  'POST roles': {
    when: 'the permissions are administrative',
    with: newRole('auth:user:write'),
    otherwise: newRole('note:write'),
  },
  'PATCH roles/:code': 'any',
  'DELETE roles/:code': 'any',

  'POST email': 'second-or-recovery', // the last of two: `second` refuses recovery codes
  'DELETE email/pending': { none: 'it stops a change of the own address' },
  'POST email/verify': { none: 'it sends a mail to the address that the user has' },
  'POST email/confirm': { none: 'it is open, and takes a link' },
  'POST password/forgot': { none: 'it is open' },
  'POST password/reset': { none: 'it is open, and takes a link' },
  'POST users/:id/reset-link': 'any',
  'POST login/link': { none: 'it is open' },
  'POST login/link/complete': { none: 'it is open, and takes a link or a code' },

  'POST register': { none: 'it is open' },
  'POST register/complete': { none: 'it is open, and takes a link' },
  'POST invitations': {
    when: 'the roles are administrative',
    with: invitation('member', SUPER_ADMIN),
    otherwise: invitation('member'),
  },
  'DELETE invitations/:id': { none: 'it grants nothing' },

  'POST login/factor': { none: 'it is open, and takes a challenge' },
  'POST factors/totp': 'second-or-recovery',
  'POST factors/totp/:id/confirm': { none: 'it completes what a fresh login began' },
  'POST factors/recovery': 'second-or-recovery',
  'DELETE factors/:id': 'second-or-recovery',
  'DELETE users/:id/factors': 'any',

  'POST login/passkey/options': { none: 'it is open' },
  'POST login/passkey': { none: 'it is open' },
  'POST login/factor/options': { none: 'it is open, and takes a challenge' },
  'POST fresh/options': { none: 'it begins to make a login fresh' },
  'POST passkeys/options': 'second-or-recovery',
  'POST passkeys': 'second-or-recovery',
  'PATCH passkeys/:id': { none: 'it changes a name' },
  'DELETE passkeys/:id': 'second-or-recovery',
  'DELETE users/:id/passkeys': 'any',
  'DELETE users/:id/passkeys/:passkeyId': 'any',

  'POST oidc/exchange': { none: 'it is open, and takes a code' },
  'POST oidc/complete': { none: 'it is open, and takes a token' },
  'POST oidc/:name/backchannel-logout': { none: 'it is open, and takes a logout token' },
  'POST oidc/:name/link': 'second-or-recovery',
  'POST oidc/:name/fresh': { none: 'it begins to make a login fresh' },
  'POST oidc/logout': { none: 'it ends the login' },
  'DELETE identities/:id': 'second-or-recovery',
  'DELETE users/:id/identities': 'any',
  'DELETE users/:id/identities/:identityId': 'any',

  'POST keys': 'second-or-recovery', // as for `POST email`
  'DELETE keys/:id': { none: 'it ends a key of the user' },
  'DELETE users/:id/keys': 'any',
  'DELETE users/:id/keys/:keyId': 'any',

  'POST token/refresh': { none: 'it is open, and takes a refresh token' },
  'POST token/end': { none: 'it is open, and takes a refresh token' },
};

/** An application with every package that has endpoints. */
class WholeApp extends RegistrationApp {
  constructor(admin: TestAppOptions['admin'] = true) {
    super({
      admin,
      email: { adminSetsPasswords: true, loginLinks: true },
      imports: [
        ...modulesWithEndpoints(),
        KitAuthOtelModule,
        KitAuthRefreshModule.forRoot({ accessMinutes: 60 }),
      ],
    });
  }

  override async start(): Promise<this> {
    await super.start();
    await this.role({ code: 'member', permissions: ['note:read'] });
    return this;
  }

  /** The endpoints of the packages, named as in the table. */
  routes() {
    return this.get(RouteAccessReport)
      .routes()
      .filter(({ path }) => path.startsWith(PREFIX))
      .map((route) => ({ ...route, endpoint: `${route.method} ${route.path.slice(PREFIX.length)}` }));
  }

  /** The factors of each writing endpoint with `@RequireFresh()`. */
  required(): Record<string, unknown> {
    return Object.fromEntries(
      this.routes()
        .filter(({ method }) => method !== 'GET')
        .flatMap(({ endpoint, requires = [] }) =>
          requires.flatMap((requirement) =>
            requirement.kind === 'fresh' && requirement.within === 600
              ? [[endpoint, requirement.factors]]
              : [],
          ),
        ),
    );
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

const STALE = '40120 password';

describe('the endpoints of all packages', () => {
  const app = sharedTestApp(new WholeApp());
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
  });

  const table = Object.entries(DECISIONS);
  const endpoints = (...decisions: Decision[]) =>
    table.filter(([, decision]) => decisions.includes(decision)).map(([endpoint]) => endpoint);
  const conditional = table.flatMap(([endpoint, decision]) =>
    typeof decision === 'object' && 'when' in decision ? [{ endpoint, ...decision }] : [],
  );
  it('that write have a decision each, and the factors of their @RequireFresh()', () => {
    const writing = app.routes().filter(({ method }) => method !== 'GET');
    expect(writing.map(({ endpoint }) => endpoint).sort()).toEqual(
      table.map(([endpoint]) => endpoint).sort(),
    );
    expect(app.required()).toEqual(
      Object.fromEntries(table.filter(([, decision]) => typeof decision === 'string')),
    );
  });

  it.each(conditional)('$endpoint needs a fresh login when $when', async (row) => {
    await app.adminToken(); // another session
    const stale = await app.adminToken();
    pass(11 * MINUTE);
    const fresh = await app.adminToken();
    const answerTo = (token: string, request: Request) => app.answerTo(token, row.endpoint, request);
    expect(await answerTo(stale, row.with)).toBe(STALE);
    expect(await answerTo(stale, row.otherwise)).toMatch(/^20[014]$/);
    expect(await answerTo(fresh, row.with)).toMatch(/^20[014]$/);
  });

  it('that change factors, addresses and keys need a fresh second factor of those who have one', async () => {
    const user = await app.user({ roles: ['member'] });
    await enrolFactor(app.nest, user.id);
    const stale = await app.tokenOfProof(user, { password: 0, totp: 11 });
    const fresh = await app.tokenOfProof(user, { password: 180, totp: 9 });
    for (const endpoint of endpoints('second', 'second-or-recovery')) {
      expect([endpoint, await app.answerTo(stale, endpoint)]).toEqual([endpoint, '40120 totp']);
      expect([endpoint, await app.answerTo(fresh, endpoint)]).not.toContain('40120 totp');
    }
  });

  it('do not unlock the account of who asks, who could guess its password again and again', async () => {
    const request = { id: async () => '1' };
    expect(await app.answerTo(await app.adminToken(), 'POST users/:id/unlock', request)).toBe('40900');
  });

  it('say in their descriptions whether they may ask', () => {
    const asking = [...new OpenApi(app).ours]
      .filter(([, { responses }]) => responses['401']?.description.includes('40120'))
      .map(([endpoint]) => endpoint);
    const decided = table
      .filter(
        ([endpoint, decision]) => endpoint === 'POST password' || !Object.hasOwn(decision as object, 'none'),
      )
      .map(([endpoint]) => endpoint.replace(/:(\w+)/g, '{$1}'));
    expect(asking.sort()).toEqual(decided.sort());
  });
});

describe('all packages with freshAdmin: false', () => {
  const app = sharedTestApp(new WholeApp({ freshAdmin: false }));
  const CONTROLLERS = /^KitAuth(?:User|UserSessions|Role)Controller\./;

  it('need a fresh login at no endpoint of kit-auth-admin, and at all others', async () => {
    const ofAdmin = app
      .routes()
      .filter(({ handler }) => CONTROLLERS.test(handler))
      .map(({ endpoint }) => endpoint);
    const required = Object.entries(DECISIONS).filter(
      ([endpoint, decision]) => typeof decision === 'string' && !ofAdmin.includes(endpoint),
    );
    expect(app.required()).toEqual(Object.fromEntries(required));

    const pass = freezeDate();
    await app.adminToken(); // another session
    const stale = await app.adminToken();
    pass(11 * MINUTE);
    const asking: string[] = [];
    for (const [endpoint, decision] of Object.entries(DECISIONS)) {
      if (typeof decision === 'object' && 'when' in decision) {
        const answer = await app.answerTo(stale, endpoint, decision.with);
        asking.push(...(answer.startsWith('40120') ? [endpoint] : []));
      }
    }
    expect(asking).toEqual(['DELETE sessions/:id', 'POST invitations']);
  });

  it('every controller of the packages is in this application, or in that of another spec', () => {
    const files = readdirSync('packages', { recursive: true, encoding: 'utf8' });
    const controllers = files
      .filter((file) => /^[^/]+\/src\/.*\.controller\.ts$/.test(file))
      .flatMap((file) => {
        const code = readFileSync(join('packages', file), 'utf8');
        return [...code.matchAll(/^@KitAuthController[^]*?^export class (\w+)/gm)].map(
          ([, name]) => name as string,
        );
      });
    const handlers = new Set([...ELSEWHERE, ...app.routes().map(({ handler }) => handler.split('.')[0])]);
    expect(controllers.length).toBeGreaterThan(10);
    expect(controllers.filter((name) => !handlers.has(name))).toEqual([]);
  });
});
