/** @own-context because it sets variables before it imports modules */
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Req, type Type, UseGuards } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { CurrentUser, KitAuthModule, type LoginUser, RequireToken } from 'kit-auth';
import {
  type Answer,
  BOTH,
  PASSWORD,
  type Platform,
  sharedTestApp,
  sweepOf,
  testApp,
  type TestApp,
} from 'test-support';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { guardedBy } from './guarded-by.js';

// The modules read the environment when they are loaded, as with a file of variables.
process.env['JWT_SECRET'] = 'the secret of the old tokens, 32 bytes or more';
process.env['KIT_AUTH_JWT_SECRET'] = 'the secret of the new tokens, 32 bytes or more';
const { AppModule: Before } = await import('./1-before/app.module.js');
const { AppModule: Beside } = await import('./2-beside/app.module.js');
const { AccountStoreModule } = await import('./2-beside/account.store.js');
const { AppModule: Both } = await import('./3-both/app.module.js');
const { secrets } = await import('./2-beside/secrets.js');
const { openRoutes } = await import('./3-both/open-routes.js');
const { OldTokensAndSessionsModule } = await import('./3-both/sessions.module.js');
const { NotesController } = await import('./3-both/notes.controller.js');
const { AppModule: Switch } = await import('./4-switch/app.module.js');
const { AppModule: After } = await import('./5-after/app.module.js');
const { JwtAuthGuard } = await import('./1-before/guards.js');
const { EntityStoreModule } = await import('./3-both/entity.store.js');
const { JwtAuthGuard: StandIn } = await import('./3-both/jwt-auth.guard.js');
const { UsersModule } = await import('./1-before/users.module.js');
const { UsersService } = await import('./1-before/users.service.js');

const optionsOf = (platform: Platform, AppModule: Type, ...controllers: Type[]) => ({
  platform,
  core: false as const,
  provider: false as const,
  database: false as const,
  imports: [AppModule],
  controllers,
});

async function oldLogin(app: TestApp, email: string, password = PASSWORD): Promise<Answer> {
  return app.request('/auth/login', { method: 'POST', json: { email, password } });
}

/** A token that the old application has issued. */
async function oldTokenOf(email: string): Promise<string> {
  const app = await testApp(optionsOf('express', Before));
  const { json } = await oldLogin(app, email);
  await app.close();
  return json.access_token;
}

/** A token as the old application signs them, but for what is given. */
function oldToken(
  claims: object,
  header: object = { alg: 'HS256', typ: 'JWT' },
  secret = secrets().oldSecret,
  hash = 'sha256',
): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [header, { sub: 1, username: 'ada@example.com', iat: now, exp: now + 3600, ...claims }];
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

/** The status of each, or the answer where it is 200. */
async function ask(app: TestApp, token: string | undefined, ...targets: string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const target of targets) {
    const [method, path] = target.split(' ') as [string, string];
    const { status, json } = await app.request(path, { method, token });
    answers.push(status === 200 ? json : status);
  }
  return answers;
}

const NOTES = ['GET /notes', 'DELETE /notes'];
const REPORTS = ['GET /reports', 'GET /reports/costs'];

@Controller('doubly')
class DoublyGuardedController {
  @Get()
  @RequireToken()
  @UseGuards(JwtAuthGuard)
  both(@Req() { user }: { user: object }, @CurrentUser() current: LoginUser) {
    return { user, current };
  }
}

describe.each(sweepOf(BOTH, ['fastify']))('moving from passport on %s', (platform) => {
  let ada: string;
  let bob: string;
  beforeAll(async () => {
    ada = await oldTokenOf('ada@example.com');
    bob = await oldTokenOf('bob@example.com');
  });

  describe('1. before', () => {
    const app = sharedTestApp(optionsOf(platform, Before));

    it('has logins and guards of passport', async () => {
      expect((await oldLogin(app, 'ada@example.com')).status).toBe(201);
      expect((await oldLogin(app, 'ada@example.com', 'wrong')).status).toBe(401);
      expect(await ask(app, ada, ...NOTES)).toEqual([{ notesOf: 'ada@example.com' }, { clearedBy: 1 }]);
      expect(await ask(app, bob, ...NOTES)).toEqual([{ notesOf: 'bob@example.com' }, 403]);
      expect(await ask(app, undefined, ...NOTES)).toEqual([401, 401]);
    });
  });

  describe('2. beside', () => {
    const app = sharedTestApp(optionsOf(platform, Beside));

    it('leaves old routes and logins as they are', async () => {
      expect((await oldLogin(app, 'ada@example.com')).status).toBe(201);
      expect(await ask(app, ada, ...NOTES)).toEqual([{ notesOf: 'ada@example.com' }, { clearedBy: 1 }]);
      expect(await ask(app, bob, ...NOTES)).toEqual([{ notesOf: 'bob@example.com' }, 403]);
    });

    it('has new tokens for new routes, for the same users and passwords', async () => {
      const token = await app.tokenOf('ada@example.com');
      expect(await ask(app, token, ...REPORTS)).toEqual([{ reportsFor: 'Ada' }, { costs: 42 }]);
      expect(await ask(app, await app.tokenOf('bob@example.com'), ...REPORTS)).toEqual([
        { reportsFor: 'Bob' },
        403,
      ]);
      expect(await app.codeOf(token)).toBe(200);
    });

    it('takes no token of one side for one of the other', async () => {
      expect(await ask(app, await app.tokenOf('ada@example.com'), ...NOTES)).toEqual([401, 401]);
      expect(await ask(app, ada, ...REPORTS)).toEqual([401, 401]);
    });
  });

  describe('3. both', () => {
    const app = sharedTestApp(optionsOf(platform, Both, DoublyGuardedController));

    it('accepts both kinds on every route, with the same rights', async () => {
      for (const token of [ada, await app.tokenOf('ada@example.com')]) {
        expect(await ask(app, token, ...NOTES, ...REPORTS)).toEqual([
          { notesOf: 'ada@example.com' },
          { clearedBy: 1 },
          { reportsFor: 'Ada' },
          { costs: 42 },
        ]);
      }
      for (const token of [bob, await app.tokenOf('bob@example.com')]) {
        expect(await ask(app, token, ...NOTES)).toEqual([{ notesOf: 'bob@example.com' }, 403]);
      }
      expect(await ask(app, undefined, ...NOTES, ...REPORTS)).toEqual([401, 401, 401, 401]);
      expect((await oldLogin(app, 'ada@example.com')).status).toBe(201);
    });

    it.each([
      ['another secret', () => oldToken({}, undefined, 'a secret of somebody else, 32 bytes or more')],
      ['no expiry', () => oldToken({ exp: undefined })],
      ['an expiry in the past', () => oldToken({ exp: 1 })],
      ['the id of nobody', () => oldToken({ sub: 4711 })],
      ['another algorithm', () => oldToken({}, { alg: 'HS512', typ: 'JWT' }, undefined, 'sha512')],
      ['no algorithm', () => oldToken({}, { alg: 'none', typ: 'JWT' })],
      ['the new secret and the claims of an old token', () => oldToken({}, undefined, secrets().newSecret)],
    ])('refuses an old token with %s', async (_what, token) => {
      expect(await app.codeOf(token(), '/notes')).toBe(40101);
    });

    it('refuses the old token of a user who was disabled', async () => {
      const user = (await app.get(UsersService).findById(2))!;
      user.active = false;
      expect(await app.codeOf(bob, '/notes')).toBe(40101);
      user.active = true;
      expect(await app.codeOf(bob, '/notes')).toBe(200);
    });

    it('leaves only the logins open', () => {
      expect(openRoutes(app.nest)).toEqual(['POST /auth/login', 'POST /v1/api/auth/login']);
    });

    it('has the user of the old guard on a route with both guards, which a new token does not pass', async () => {
      const { json } = await app.request('/doubly', { token: ada });
      expect(json.user).toEqual({ userId: 1, username: 'ada@example.com', roles: ['admin'] });
      expect(json.current).toMatchObject({ userId: 1, nickname: 'Ada' });
      expect(await ask(app, await app.tokenOf('ada@example.com'), 'GET /doubly')).toEqual([401]);
    });
  });

  describe('3. both, with sessions', () => {
    const core = KitAuthModule.forRoot({ users: AccountStoreModule });
    const app = sharedTestApp({
      platform,
      core,
      provider: OldTokensAndSessionsModule,
      database: false,
      controllers: [NotesController],
    });

    it('accepts old tokens and sessions', async () => {
      const token = await app.tokenOf('ada@example.com');
      for (const each of [ada, token]) {
        expect(await ask(app, each, ...NOTES)).toEqual([{ notesOf: 'ada@example.com' }, { clearedBy: 1 }]);
      }
      expect(await ask(app, oldToken({ exp: 1 }), 'GET /notes')).toEqual([401]);
      await app.call(token, 'POST', 'logout');
      expect(await ask(app, token, 'GET /notes')).toEqual([401]);
    });
  });

  describe('guards that extend the one of passport', () => {
    @Injectable()
    class EntityStrategy extends PassportStrategy(Strategy, 'entity') {
      constructor(private readonly users: InstanceType<typeof UsersService>) {
        super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: secrets().oldSecret });
      }

      async validate({ sub }: { sub: number }) {
        return this.users.findById(sub);
      }
    }
    Reflect.defineMetadata('design:paramtypes', [UsersService], EntityStrategy);
    const before = sharedTestApp({
      ...optionsOf(platform, Before, guardedBy(AuthGuard('entity'))),
      imports: [Before, UsersModule],
      providers: [EntityStrategy],
    });
    const after = sharedTestApp({
      platform,
      core: KitAuthModule.forRoot({ users: EntityStoreModule, protect: ['/**'] }),
      database: false,
      controllers: [guardedBy(StandIn)],
    });
    const answersOf = async (app: TestApp, token: string | undefined) => {
      const answers = ['admin', 'roles', 'optional', 'company', 'other', 'open'].map(async (path) => {
        const { status, text } = await app.request(`/guarded/${path}`, { token });
        return status === 200 ? text : status;
      });
      return Promise.all(answers);
    };

    it.each([
      ['an administrator', 'ada@example.com', ['1', '1', '1', 'Analytical Engines', 'ada@example.com']],
      ['another user', 'bob@example.com', [403, 403, '2', 403, 'bob@example.com']],
    ])('judge %s as before with the class that stands for it', async (_who, email, expected) => {
      const old = email.startsWith('ada') ? ada : bob;
      expect((await answersOf(before, old)).slice(0, 5)).toEqual(expected);
      expect((await answersOf(after, await after.tokenOf(email))).slice(0, 5)).toEqual(expected);
    });

    it('judge nobody as before, and let nobody in where kit-auth reads no token', async () => {
      for (const token of [undefined, 'wrong']) {
        const refused = [401, 401, 'nobody', 401, 401, 401];
        expect([await answersOf(before, token), await answersOf(after, token)]).toEqual([refused, refused]);
      }
      expect((await answersOf(after, await after.tokenOf('ada@example.com'))).at(-1)).toBe(401);
    });
  });

  describe('4. switch', () => {
    const before = sharedTestApp(optionsOf(platform, Before));
    const app = sharedTestApp(optionsOf(platform, Switch));

    it('has the old login issue new tokens, and still accepts old ones', async () => {
      const { status, json } = await oldLogin(app, 'ada@example.com');
      expect([status, Object.keys(json)]).toEqual([201, ['access_token']]);
      for (const token of [ada, json.access_token as string]) {
        expect(await ask(app, token, ...NOTES)).toEqual([{ notesOf: 'ada@example.com' }, { clearedBy: 1 }]);
      }
    });

    it.each([
      ['form', `email=ada%40example.com&password=${encodeURIComponent(PASSWORD)}`, 201],
      ['json', JSON.stringify({ email: 'ada@example.com', password: PASSWORD, remember: true }), 201],
      ['form', 'email=ada%40example.com&password=wrong', 401],
      ['form', `email[]=ada%40example.com&password=${encodeURIComponent(PASSWORD)}`, 401],
      ['text', 'x', 401],
      ['json', '{}', 401],
      ['json', '{"email":["ada@example.com"],"password":{}}', 401],
      ['json', '{"email":', 400],
    ] as const)('answers the %s %.60s with %s, as passport does', async (type, body, status) => {
      const types = {
        form: 'application/x-www-form-urlencoded',
        json: 'application/json',
        text: 'text/plain',
      };
      const login = { method: 'POST', body, headers: [`Content-Type: ${types[type]}`] };
      const answers = [await before.request('/auth/login', login), await app.request('/auth/login', login)];
      expect(answers.map((answer) => answer.status)).toEqual([status, status]);
      expect(answers[1]?.json.code).toBe(status === 401 ? 40110 : undefined);
    });

    it('takes no login from the URL, unlike passport', async () => {
      const path = `/auth/login?email=ada%40example.com&password=${encodeURIComponent(PASSWORD)}`;
      const answers = [
        await before.request(path, { method: 'POST' }),
        await app.request(path, { method: 'POST' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 401]);
    });

    it('compares the prefix of a token exactly, unlike passport', async () => {
      const headers = [`Authorization: bearer ${ada}`];
      expect((await before.request('/notes', { headers })).status).toBe(200);
      const { json } = await app.request('/notes', { headers });
      expect(json).toMatchObject({
        code: 40100,
        message: expect.stringContaining('send "Authorization: Bearer <token>"'),
      });
    });
  });

  describe('5. after', () => {
    const app = sharedTestApp(optionsOf(platform, After));

    it('knows new tokens only', async () => {
      const { json } = await oldLogin(app, 'ada@example.com');
      expect(await ask(app, json.access_token, ...NOTES, ...REPORTS)).toEqual([
        { notesOf: 'ada@example.com' },
        { clearedBy: 1 },
        { reportsFor: 'Ada' },
        { costs: 42 },
      ]);
      expect(await ask(app, ada, ...NOTES, ...REPORTS)).toEqual([401, 401, 401, 401]);
    });
  });
});

describe.each([
  ['one secret for both', { JWT_SECRET: 'a', KIT_AUTH_JWT_SECRET: 'a' }],
  ['no old secret', { KIT_AUTH_JWT_SECRET: 'a' }],
  ['an empty new secret', { JWT_SECRET: 'a', KIT_AUTH_JWT_SECRET: '' }],
])('the application with %s', (_what, env) => {
  it('does not start', () => expect(() => secrets(env)).toThrow('two different secrets'));
});
