import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthProvider,
  type AuthUserStore,
  CurrentUser,
  KitAuthContext,
  KitAuthModule,
  type LoginUser,
  RequireRoles,
} from 'kit-auth';
import { EVERYWHERE, sharedTestApp, testApp } from 'test-support';
import { actingAs, type ActingUser, KitAuthTestingModule, testUser } from '../index.js';

@Controller('v1/notes')
class NotesController {
  @Get() @RequireRoles('editor') list(@CurrentUser() user: LoginUser) {
    return user;
  }
}

const headersOf = ({ headers }: ActingUser) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

describe.each(EVERYWHERE)('actingAs on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers: [NotesController] });
  const notesAs = async (user: ActingUser) => app.request('/v1/notes', { headers: headersOf(user) });

  beforeAll(async () => {
    await app.role({ code: 'editor' });
    await app.user({ username: 'ada', nickname: 'Ada', roles: ['editor'] });
    await app.user({ username: 'bob' });
  });

  it('acts as a user of the user store, without the password', async () => {
    const ada = await actingAs(app.nest, 'ada');
    expect(ada.user).toMatchObject({ username: 'ada', nickname: 'Ada', roles: ['editor'] });
    expect(ada.headers).toEqual({ Authorization: `Bearer ${ada.token}` });
    expect((await notesAs(ada)).json).toEqual(ada.user);
    expect((await notesAs(await actingAs(app.nest, 'bob'))).status).toBe(403);
  });

  it('says when the user store has no such user', async () => {
    await expect(actingAs(app.nest, 'eve')).rejects.toThrow(
      "actingAs: the user store has no enabled user named 'eve'. To act as a user who need not exist, pass an " +
        "object: actingAs(app, { username: 'eve' }).",
    );
  });

  it('proves what the test says, by default the password', async () => {
    const now = Math.floor(Date.now() / 1000);
    const byDefault = await actingAs(app.nest, 'ada');
    expect((await app.call(byDefault.token, 'GET', 'me')).status).toBe(200);
    const proof = { factors: { password: now - 3600, totp: now - 60 } };
    const { token } = await actingAs(app.nest, 'ada', { proof });
    const provider = app.get<AuthProvider>(AUTH_PROVIDER);
    expect(await provider.resolve?.(token)).toMatchObject({ proof });
  });
});

it('actingAs sends the token in the configured header, with the configured prefix', async () => {
  const options = { tokenHeader: 'X-Token', tokenPrefix: '' };
  const app = await testApp({ controllers: [NotesController], options });
  const editor = await actingAs(app.nest, { roles: ['editor'] });
  expect(editor.headers).toEqual({ 'X-Token': editor.token });
  expect((await app.request('/v1/notes', { headers: headersOf(editor) })).status).toBe(200);
});

describe('a partial user', () => {
  const app = sharedTestApp({ controllers: [NotesController] });

  it('gets a name, an id of its own, and no rights', async () => {
    const [one, two] = [await actingAs(app.nest), await actingAs(app.nest, { roles: undefined as never })];
    const { userId } = one.user;
    expect(one.user).toEqual({
      userId,
      username: `user-${userId}`,
      nickname: `user-${userId}`,
      superAdmin: false,
      roles: [],
      permissions: [],
    });
    expect(two.user.userId).not.toBe(userId);
    expect((await actingAs(app.nest, { username: 'ada' })).user.nickname).toBe('ada');
  });

  it('has the data that tokens carry', async () => {
    const named = await testApp({ options: { jwt: { data: ['tenant'] } } });
    expect((await actingAs(named.nest, { data: { tenant: 't1' } })).user.data).toEqual({ tenant: 't1' });
    await expect(actingAs(app.nest, { data: { tenant: 't1' } })).rejects.toThrow(
      "should have the data { tenant: 't1' }, but the application knows undefined. Tokens of kit-auth-jwt carry the fields that " +
        'kit.auth.jwt.data names.',
    );
  });

  it('must exist where the user store says what request.user is', async () => {
    const requestUser = async (id: number) => (id === 7 ? { id } : undefined);
    const entities = await testApp({
      core: false,
      provider: KitAuthTestingModule.forRoot({ requestUser }),
      database: false,
    });
    expect((await actingAs(entities.nest, { userId: 7 })).user.userId).toBe(7);
    await expect(actingAs(entities.nest, { userId: 8 })).rejects.toThrow(
      'actingAs: requestUser() of the user store has nothing for user-8 (40101 disabled), so requests would be refused.',
    );
  });

  it('may have to change the password first', async () => {
    const { token } = await actingAs(app.nest, { roles: ['editor'], mustChangePassword: true });
    expect(await app.codeOf(token, '/v1/notes')).toBe(40301);
  });

  it('must be in the user store where every request reads the user', async () => {
    const sessions = await testApp({ provider: 'session' });
    await expect(actingAs(sessions.nest, { roles: ['editor'] })).rejects.toThrow(
      /^actingAs: session-token does not accept the token that it issued for user-\d+ \(40101[^)]*\)\. It reads users from the user store: create the user there and pass the username/,
    );
    const { id } = await sessions.user({ username: 'ada' });
    await expect(actingAs(sessions.nest, { userId: id, roles: ['editor'] })).rejects.toThrow(
      `actingAs: user-${id} should have the roles [ 'editor' ], but the application knows []. It reads users from`,
    );
    expect((await actingAs(sessions.nest, { userId: id })).user.username).toBe('ada');
    const stamped = await testApp({ options: { jwt: { checkStamp: true } } });
    await expect(actingAs(stamped.nest)).rejects.toThrow('(40101 revoked). It reads users');
  });
});

describe('text ids', () => {
  const id = '0b8f8f4e-9d0c-4c7b-8c1a-8f2b6a1f0c55';

  @Injectable()
  class TextIds implements AuthUserStore {
    readonly idType = 'string';

    async findByUsername(username: string) {
      return { id: id as never, username, enabled: true, securityStamp: '' };
    }

    async loadLoginUser() {
      return testUser({ userId: id as never, username: 'ada', roles: ['editor'] });
    }
  }

  @Module({ providers: [{ provide: AUTH_USER_STORE, useClass: TextIds }] })
  class TextIdsModule {}

  it.each([
    ['a store of the application', { core: KitAuthModule.forRoot({ users: TextIdsModule }) }],
    [
      'the testing module',
      { core: false as const, provider: KitAuthTestingModule.forRoot({ idType: 'string' }) },
    ],
  ])('are UUIDs, with %s', async (_name, options) => {
    const app = await testApp({ database: false, ...options, controllers: [NotesController] });
    const editor = await actingAs(app.nest, { roles: ['editor'] });
    expect(editor.user.userId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect((await app.request('/v1/notes', { token: editor.token })).json).toEqual(editor.user);
    expect((await actingAs(app.nest, { userId: id as never })).user.userId).toBe(id);
    await expect(actingAs(app.nest, { userId: 7 })).rejects.toThrow(
      'actingAs: userId is 7, but the ids of the user store are of the type string',
    );
  });

  it('are read from the store by username', async () => {
    const core = KitAuthModule.forRoot({ users: TextIdsModule });
    const app = await testApp({ database: false, core });
    expect((await actingAs(app.nest, 'ada')).user).toMatchObject({ userId: id, roles: ['editor'] });
  });

  it('are not looked up in a store without findByUsername', async () => {
    const app = await testApp({ database: false, core: KitAuthModule.forRoot({ users: TextIdsModule }) });
    Object.assign(app.get<object>(AUTH_USER_STORE), { findByUsername: undefined });
    await expect(actingAs(app.nest, 'ada')).rejects.toThrow(
      "actingAs: the user store cannot find 'ada', because it has no method findByUsername. Pass an object: " +
        'actingAs(app, { userId }).',
    );
  });

  it('need an option of the testing module', async () => {
    const app = await testApp({ database: false, core: false, provider: KitAuthTestingModule.forRoot() });
    await expect(actingAs(app.nest, { userId: id as never })).rejects.toThrow(
      `actingAs: userId is '${id}', but the ids of the user store are of the type number: use ` +
        "KitAuthTestingModule.forRoot({ idType: 'string' }).",
    );
  });
});

describe('actingAs', () => {
  it('names what is wrong with the application', async () => {
    const created = (await testApp()).nest;
    await expect(actingAs(Promise.resolve(created) as never)).rejects.toThrow(
      'The first argument must be the application: await the function that creates it.',
    );
    @Module({})
    class EmptyModule {}
    const empty = await NestFactory.createApplicationContext(EmptyModule, { logger: false });
    await expect(actingAs(empty)).rejects.toThrow(
      'This application does not import KitAuthModule. In a test of one module, import ' +
        'KitAuthTestingModule.forRoot() beside it.',
    );
    const off = await testApp({ options: { enabled: false } });
    await expect(actingAs(off.nest)).rejects.toThrow('kit.auth.enabled is false in this application');
    const early: INestApplicationContext = await NestFactory.create(KitAuthTestingModule.forRoot(), {
      logger: false,
    });
    await expect(actingAs(early)).rejects.toThrow(
      'The application is not initialised: call `await app.init()` first.',
    );
  });
});

describe('testUser', () => {
  it('is a user for KitAuthContext.run()', () => {
    const context = new KitAuthContext();
    const editor = testUser({ username: 'ada', roles: ['editor'] });
    expect(context.run(editor, () => context.getOrThrow())).toMatchObject({ nickname: 'ada' });
    expect(testUser({}, 'string').userId).not.toBe(testUser({}, 'string').userId);
  });
});
