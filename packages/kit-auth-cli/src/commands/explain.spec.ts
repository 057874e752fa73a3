import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth, loginUser } from 'test-support';

const MODULE = `
import { appendFileSync } from 'node:fs';
import { Controller, Delete, Get, Module, Post } from '@nestjs/common';
import {
  AUTH_EVENT_SINK, AUTH_FACTOR, AUTH_USER_STORE, Authorize, KitAuthModule, OptionalUser, Public, RequireFresh, RequirePermissions,
  RequireRoles, RequireToken,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate, method } from './decorate.js';

class Author { can() { throw new Error('no request'); } }
class Notes { list() {} get() {} published() {} search() {} remove() {} create() {} wipe() {} sign() {} }
method(Notes, 'list', Get(), RequirePermissions('note:read'));
method(Notes, 'get', Get(':id'), RequirePermissions('note:read'));
method(Notes, 'published', Get('published'), Public());
method(Notes, 'remove', Delete(':id'), RequirePermissions('note:write', 'note:admin'), RequireRoles('editor', 'boss', { mode: 'any' }));
method(Notes, 'create', Post(), RequirePermissions('note:read'), Authorize(Author));
method(Notes, 'wipe', Delete(), RequireFresh({ within: '5m', factors: 'full' }));
method(Notes, 'sign', Post('sign'), RequireFresh({ within: '5m', factors: ['passkey'] }));
decorate(Notes, Controller('v1/notes'));
class Open { hello() {} page() {} me() {} about() {} offers() {} }
method(Open, 'about', Get('v1/about'), Public());
method(Open, 'hello', Get('hello'));
method(Open, 'offers', Get('v1/offers'), OptionalUser());
method(Open, 'page', Get('v1/pages/:name'));
method(Open, 'me', Get('v1/me'), RequireToken());
decorate(Open, Controller());

const USERS = [
  { userId: 1, username: 'admin', superAdmin: true, roles: [], permissions: [] },
  { userId: 2, username: 'alice', superAdmin: false, roles: ['editor'], permissions: ['note:*'] },
  { userId: 3, username: 'bob', superAdmin: false, roles: ['reader'], permissions: ['note:read'] },
  { userId: 4, username: 'carol', superAdmin: false, roles: [], permissions: [], mustChangePassword: true },
  { userId: 5, username: 'dave', superAdmin: false, roles: [], permissions: [] },
  { userId: 6, username: 'erin', superAdmin: false, roles: ['secured'], permissions: [] },
];
class Store {
  async findByUsername(name) {
    const found = USERS.find(({ username }) => username === name);
    return found && { id: found.userId, username: name, passwordHash: 'x', enabled: name !== 'dave', securityStamp: '' };
  }
  async loadLoginUser(id) {
    const found = USERS.find(({ userId, username }) => userId === id && username !== 'dave');
    return found && { ...found, nickname: found.username };
  }
  async listUsers({ after }) {
    return after === undefined ? USERS.map(({ userId: id, username }) => ({ id, username })) : [];
  }
}
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Store }] }));
class Codes {
  names = ['totp'];
  confirms = ['totp'];
  second = 'elsewhere';
  has({ username }) { return username === 'alice' ? ['totp'] : []; }
  isRequiredFor({ roles }) { return roles.includes('secured'); }
}
class Sink { async keep(event) { appendFileSync(import.meta.dirname + '/events', event.type); } }

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    KitAuthModule.forRoot({ users: UsersModule, whiteList: ['/v1/pages/open*'], OPTIONS }),
    KitAuthJwtModule,
  ],
  controllers: [Notes, Open],
  providers: [Author, { provide: AUTH_FACTOR, useClass: Codes }, { provide: AUTH_EVENT_SINK, useClass: Sink }],
}));
`;

const app = (options = '', more: Record<string, string> = {}) =>
  builtApp({
    'dist/decorate.js': DECORATE,
    'dist/app.module.js': MODULE.replace('OPTIONS', options),
    ...more,
  });

let cwd: string;
beforeAll(() => {
  cwd = app();
});
const explain = (...args: string[]) => kitAuth(['explain', ...args], { cwd });

async function explained(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await explain(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [one, ...others] = JSON.parse(stdout) as Record<string, unknown>[];
  expect(others).toEqual([]);
  return one!;
}

describe('kit-auth explain', () => {
  it('says what a user has, and what is missing', async () => {
    expect(await explain('bob', 'DELETE', '/v1/notes/5')).toEqual({
      code: 0,
      stdout: [
        'DELETE /v1/notes/:id (Notes.remove): token; role editor or boss; permission note:write and note:admin',
        'Decided by its decorators.',
        'bob (id 3) has the roles reader and the permissions note:read.',
        '',
        'missing  role editor or boss',
        'missing  permission note:write and note:admin',
        'Answer: 40300 FORBIDDEN: The user has none of the roles editor, boss.\n',
      ].join('\n'),
      stderr: '',
    });
  });

  it.each([
    ['alice', 'DELETE', '/v1/notes/5', 'admitted'],
    ['admin', 'DELETE', '/v1/notes/5', 'admitted'],
    ['bob', 'head', 'v1/notes/', 'admitted'],
    ['bob', 'GET', 'http://localhost:3000/v1/notes?page=2', 'admitted'],
    ['carol', 'GET', '/hello', 'admitted'],
  ])('%s may %s %s', async (user, method, path, result) => {
    expect(await explained(user, method, path)).toMatchObject({ answer: { result } });
  });

  it.each([
    ['carol', '40301', 'PASSWORD_CHANGE_REQUIRED'],
    ['dave', '40101', 'TOKEN_INVALID'],
    ['erin', '40303', 'FACTOR_ENROLMENT_REQUIRED'],
  ])('knows what refuses %s everywhere', async (user, code, error) => {
    const { answer } = await explained(user, 'GET', '/v1/me');
    expect(answer).toMatchObject({ result: 'refused', code: Number(code), error });
  });

  it('knows an optional user', async () => {
    const { stdout } = await explain('alice', 'GET', '/v1/offers');
    expect(stdout).toContain(
      'GET /v1/offers (Open.offers): open by @OptionalUser\nDecided by @OptionalUser().',
    );
    expect(stdout).toContain('alice (id 2) has the roles editor');
    expect((await explained('carol', 'GET', '/v1/offers'))['answer']).toMatchObject({ code: 40301 });
  });

  it('does not ask a policy', async () => {
    expect(await explained('bob', 'POST', '/v1/notes')).toMatchObject({
      checks: [
        { result: 'met', requirement: 'permission note:read' },
        {
          result: 'depends',
          requirement: 'policy Author',
          note: expect.stringContaining('with each request'),
        },
      ],
      answer: { result: 'depends' },
    });
  });

  it('says that a fresh login gets old', async () => {
    const { stdout } = await explain('alice', 'DELETE', '/v1/notes');
    expect(stdout).toContain(
      'met      fresh login (password and any second factor, last 5 minutes) (for a login that is older: 40120 FRESH_LOGIN_REQUIRED)',
    );
  });

  it.each([
    ['/v1/about', '@Public()'],
    ['/hello', 'kit.auth.protect, which has no pattern for this path'],
    ['/v1/pages/open-day', 'kit.auth.whiteList, which has a pattern for this path'],
    ['/v1/pages/plan', 'kit.auth.protect'],
    ['/v1/pages/:name', 'kit.auth.protect. Some paths of this route are open: give the path of a request'],
    ['/v1/me', 'its decorators'],
  ])('tells what decides about %s', async (path, decidedBy) => {
    const { stdout } = await explain('bob', 'GET', path, '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ decidedBy }]);
  });

  it('publishes no events', async () => {
    await explain('bob', 'DELETE', '/v1/notes/5');
    const file = join(cwd, 'dist/events');
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('');
  });

  it('tells that kit-auth is off', async () => {
    const { stdout, stderr } = await kitAuth(['explain', 'bob', 'GET', '/v1/notes'], {
      cwd: app('enabled: false'),
    });
    expect(stdout).toContain('Decided by kit.auth.enabled, which is false.');
    expect(stdout).toContain('Answer: admitted. No token is needed.');
    expect(stderr).toContain('kit.auth.enabled is false');
  });

  it.each([
    [[], 2, 'Name a user, a method and a path: kit-auth explain alice GET /v1/notes'],
    [['GET', '/v1/notes', 'alice'], 2, '"/v1/notes" is not a method of HTTP'],
    [['alice', 'GET', 'C:/Program Files/Git/v1/notes'], 2, 'Git Bash on Windows'],
    [['alice', 'GET', '/v1/../notes'], 2, 'that all routers read in the same way'],
    [['alice', 'GET', '/v1/noets'], 1, 'There is no route GET /v1/noets. Did you mean GET /v1/notes?'],
    [['alice', 'PUT', '/v1/notes'], 1, 'There is no route PUT /v1/notes. This path has GET, POST, DELETE.'],
    [['alcie', 'GET', '/v1/notes'], 1, 'There is no user "alcie". Did you mean "alice"?'],
  ])('refuses %j', async (args: string[], exitCode, message) => {
    const { code, stdout, stderr } = await explain(...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  });
});

describe('kit-auth explain --token-stdin', () => {
  const CREDENTIAL = `
class Keys {
  prefix = 'key_';
  scheme = 'keys';
  resolve(token) {
    const user = { ...USERS[2], nickname: 'Bob' };
    const owner = { ...user, roles: [token.slice('key_'.length)] };
    return { user, owner, proof: { factors: {} } };
  }
  authorize(principal, { requirements }) {
    if (!requirements.some(({ kind }) => kind === 'permission')) {
      throw new AuthException(AuthErrorCode.KEY_NOT_ALLOWED);
    }
  }
}
class Partner {
  issuers = ['https://login.example.com'];
  scheme = 'issuer:partner';
  resolve() {}
}
`;
  const SECRET = 'a secret of at least 32 bytes, for tests';
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  let withKeys: string;
  beforeAll(() => {
    withKeys = app(`jwt: { secret: '${SECRET}' }`, {
      'dist/app.module.js': MODULE.replace('OPTIONS', `jwt: { secret: '${SECRET}' }`)
        .replace(
          'import { appendFileSync }',
          `import { AUTH_CREDENTIAL, AuthErrorCode, AuthException } from 'kit-auth';\nimport { appendFileSync }`,
        )
        .replace('export class AppModule', `${CREDENTIAL}\nexport class AppModule`)
        .replace(
          'providers: [Author,',
          'providers: [Author, { provide: AUTH_CREDENTIAL, useFactory: () => [new Keys(), new Partner()] },',
        ),
    });
  });

  function tokenOf(claims: object): string {
    const now = Math.floor(Date.now() / 1000);
    const bob = loginUser({ userId: 3, username: 'bob', permissions: ['note:read'] });
    const all = { ...bob, sub: '3', iat: now, exp: now + 60, jti: 'x', ...claims };
    const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(all)}`;
    return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
  }
  const ofToken = (token: string, ...args: string[]) =>
    kitAuth(['explain', '--token-stdin', ...args], { cwd: withKeys, input: `${token}\n` });

  it('says what resolves a token, and what its user may do', async () => {
    const { code, stdout, stderr } = await ofToken(tokenOf({}), 'GET', '/v1/notes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      'The token belongs to jwt-stateless.\nbob (id 3) has no roles and the permissions note:read.',
    );
    expect(stdout).toContain('met      permission note:read\nAnswer: admitted.');
  });

  it('says why a token is refused', async () => {
    const now = Math.floor(Date.now() / 1000);
    const { stdout } = await ofToken(tokenOf({ iat: now - 120, exp: now - 60 }), 'GET', '/v1/notes');
    expect(stdout).toContain('The token belongs to jwt-stateless.\n');
    expect(stdout).toContain('missing  a valid token\nAnswer: 40101 TOKEN_INVALID: ');
    expect(stdout).toContain(' (expired).\n');
    expect(stdout).not.toContain('eyJ');
  });

  it('says that no issuer has the iss of a token', async () => {
    const { stdout } = await ofToken(
      tokenOf({ iss: 'https://login.example.com/', exp: 1 }),
      'GET',
      '/v1/notes',
    );
    expect(stdout).toContain(
      'The token belongs to jwt-stateless. Its iss is "https://login.example.com/". The application accepts tokens of https://login.example.com.\n',
    );
  });

  it('asks the credential', async () => {
    expect((await ofToken('key_1', 'GET', '/v1/notes')).stdout).toContain(
      'The token belongs to keys.\nbob (id 3)',
    );
    const { stdout } = await ofToken('key_1', 'GET', '/v1/me');
    expect(stdout).toContain('missing  a route for keys\nAnswer: 40304 KEY_NOT_ALLOWED');
    const secured = await ofToken('key_secured', 'GET', '/v1/notes');
    expect(secured.stdout).toContain('missing  a second factor');
    expect(secured.stdout).toContain(
      'Answer: 40303 FACTOR_ENROLMENT_REQUIRED: The user needs a second factor, and this token shows none',
    );
  });

  it('ignores a wrong token where the route does', async () => {
    expect((await ofToken('x', 'GET', '/v1/about')).stdout).toContain(
      'Answer: admitted. No token is needed.',
    );
  });

  it.each([
    ['', ['GET', '/v1/notes'], 'The token is empty.'],
    ['a\nb', ['GET', '/v1/notes'], 'Pass the token, and nothing else.'],
    ['x'.repeat(20_000), ['GET', '/v1/notes'], 'Standard input has more than'],
    ['x', ['/v1/notes'], 'Name a user, a method and a path'],
  ])('refuses %.9j', async (token: string, args, message) => {
    const { code, stdout, stderr } = await ofToken(token, ...args);
    expect(stderr).toContain(message);
    expect([code === 0, stdout]).toEqual([false, '']);
  });
});

describe('the route that the router takes', () => {
  it('is the first on Express', async () => {
    const { stdout, stderr } = await explain('alice', 'GET', '/v1/notes/published');
    expect(stdout).toContain('GET /v1/notes/:id (Notes.get)');
    expect(stderr).toBe(
      'Note: this path matches GET /v1/notes/published too. The router takes GET /v1/notes/:id.\n',
    );
  });

  it('has the fewest parameters on Fastify', async () => {
    const manifest = { type: 'module', dependencies: { '@nestjs/platform-fastify': '*' } };
    const { stdout } = await kitAuth(['explain', 'alice', 'GET', '/v1/notes/published'], {
      cwd: app('', { 'package.json': JSON.stringify(manifest) }),
    });
    expect(stdout).toContain('GET /v1/notes/published (Notes.published): open by @Public');
  });
});
