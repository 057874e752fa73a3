import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import bcrypt from 'bcrypt';
import {
  AUTH_USER_STORE,
  type AuthEvent,
  AuthEvents,
  AUTH_EVENT_SINK,
  AuthManager,
  IllegalStateException,
  KitAuthModule,
  type KitAuthOptions,
  type StoredUser,
} from 'kit-auth';
import { ActiveLogins, SessionEnds } from 'kit-auth/login';
import { documentKitAuth, type OpenApiDocument } from 'kit-auth/openapi';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { describeUserStore } from 'kit-auth-testing';
import {
  BOTH,
  loginUser,
  PASSWORD,
  sharedTestApp,
  sweepOf,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { JwtCodec } from '../../../../packages/kit-auth-jwt/src/jwt.codec.js';
import { idOf, OwnUsers, OwnUsersModule } from './own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
const events: AuthEvent[] = [];

function withOwnUsers(options: KitAuthOptions = {}): TestAppOptions {
  return {
    database: false,
    core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 }, ...options }),
    provider: KitAuthJwtModule,
  };
}

describe.each(sweepOf(BOTH, ['fastify']))('users of an application with text ids on %s', (platform) => {
  const app = sharedTestApp({
    ...withOwnUsers({ jwt: { checkStamp: 0 } }),
    platform,
    providers: [
      { provide: AUTH_EVENT_SINK, useValue: { keep: async (event: AuthEvent) => void events.push(event) } },
    ],
  });
  const users = () => app.get(OwnUsers);
  beforeAll(() => {
    users().insert({ id: 'usr_ada', name: 'ada', hash: HASH });
  });

  it('log in, and are who they are', async () => {
    const { json } = await app.login('ada');
    const ada = { userId: 'usr_ada', username: 'ada', nickname: 'ada', superAdmin: false };
    expect(json.user).toEqual(ada);
    expect((await app.call(json.token, 'GET', 'me')).json).toEqual(ada);
    expect(users().db.prepare('select seen from account where id = ?').get('usr_ada')).toEqual({
      seen: 'now',
    });
  });

  it('refuse a token with a number for an id', async () => {
    const token = await app.get(JwtCodec).encode(loginUser({ userId: 7 }), 60, { stamp: '' });
    expect(await app.stateOf(token)).toBe('40101 malformed');
    await expect(app.issueToken({ userId: 7 })).rejects.toThrow(
      'OwnUsers returned a user whose id is of the type number',
    );
  });
});

describe('a store of plain statements', () => {
  const app = sharedTestApp(withOwnUsers());
  const users = () => app.get(OwnUsers);

  describeUserStore(
    'of plain statements',
    {
      methods: [
        'stampOf',
        'noteLogin',
        'renewHash',
        'changePassword',
        'ensureAdministrator',
        'listUsers',
        'disableUser',
        'enableUser',
      ],
    },
    () => ({
      store: users(),
      createUser: ({ username, passwordHash, enabled }) =>
        users().insert({ name: username, hash: passwordHash, active: enabled ? 1 : 0 }),
    }),
  );
});

describe('a change in a store without transactions', () => {
  const keep = jest.fn<(event: AuthEvent) => Promise<undefined>>();
  const others = jest.fn<(event: AuthEvent) => Promise<undefined>>();
  const app = sharedTestApp({
    core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
    providers: [
      {
        provide: AUTH_EVENT_SINK,
        useFactory: () => [
          { keep },
          { keep: others, committed: ({ type }: AuthEvent) => void order.push(`${type} told`) },
        ],
      },
    ],
  });
  const order: string[] = [];
  const change = async (username: string) => {
    const token = await app.tokenOf(username);
    const json = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    return app.call(token, 'POST', 'password', json);
  };
  const typesOf = (sink: typeof keep) => sink.mock.calls.map(([{ type }]) => type);

  it('is answered with 50300 when its event cannot be stored twice, and all other sinks have it', async () => {
    app.get(OwnUsers).insert({ name: 'never', hash: HASH });
    keep.mockImplementation(({ type }) =>
      type === 'password-changed' ? Promise.reject(new Error('no database')) : Promise.resolve(undefined),
    );
    const { json } = await change('never');
    expect([json.code, typesOf(others)]).toEqual([50300, ['login', 'password-changed']]);
    expect(typesOf(keep)).toEqual(['login', 'password-changed', 'password-changed']);
    expect(app.logs.all()).toContain('an event sink failed: Error: no database');
    expect(order.at(-1)).toBe('password-changed told');
  });

  describe('whose event cannot be stored', () => {
    const kept: string[] = [];
    const withSessions = sharedTestApp({
      core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
      session: { store: 'memory', userCacheSeconds: 60 },
      database: false,
      providers: [
        {
          provide: AUTH_EVENT_SINK,
          useValue: {
            keep: async ({ type }: AuthEvent) => {
              kept.push(type);
              if (type === 'user-status-changed') {
                throw new Error('no database');
              }
            },
          },
        },
      ],
    });

    it('ends the sessions of the user all the same, and stores its other events', async () => {
      const id = withSessions.get(OwnUsers).insert({ name: 'ada', hash: HASH });
      const token = await withSessions.tokenOf('ada');
      const about = { subjectId: id, subject: 'ada' };
      const ending = withSessions
        .get(SessionEnds)
        .changeUser(withSessions.get<AuthEvents>(AuthEvents).begin(), id, async (change) => {
          await change.note({ type: 'user-status-changed', ...about });
          await change.note({ type: 'sessions-ended', ...about });
          return {
            ...about,
            end: () => withSessions.get(ActiveLogins).endAllOf(id, { reason: 'disabled' }),
          };
        });
      await expect(ending).rejects.toMatchObject({ code: 50300 });
      expect((await withSessions.call(token, 'GET', 'me')).json).toMatchObject({ reason: 'disabled' });
      expect(kept.filter((type) => type === 'sessions-ended')).toHaveLength(1);
    });
  });
});

describe('a user store', () => {
  @Injectable()
  class SmallStore {
    private readonly all = new OwnUsers();

    findByUsername(username: string) {
      return this.all.findByUsername(username);
    }

    loadLoginUser() {
      return Promise.resolve(undefined);
    }
  }
  const moduleOf = (store: object) => {
    class StoreModule {}
    Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })(StoreModule);
    return StoreModule;
  };
  const core = (store: object, options?: KitAuthOptions) =>
    KitAuthModule.forRoot({ users: moduleOf(store), ...options });
  const start = (store: object, options?: KitAuthOptions) =>
    testApp({ ...withOwnUsers(), core: core(store, options) });

  const users: StoredUser[] = [];
  const store = {
    findByUsername: async (name: string) => users.find(({ username }) => username === name),
    loadLoginUser: async (userId: number) => {
      const user = users.find(({ id }) => id === userId);
      return user && loginUser({ userId, username: user.username });
    },
  };

  describeUserStore('of users who cannot be disabled', { methods: [], canDisable: false }, () => ({
    store,
    createUser: ({ username, passwordHash }) =>
      users.push({ id: users.length + 1, username, passwordHash, enabled: true, securityStamp: '' }),
  }));

  it('without a method that a feature needs fails start-up, which names both', async () => {
    const started = start(new SmallStore(), { jwt: { checkStamp: true } });
    await expect(started).rejects.toThrow(IllegalStateException);
    await expect(started).rejects.toThrow(/kit\.auth\.jwt\.checkStamp.*stampOf.*SmallStore/);
  });

  it('needs two methods, and works without the rest', async () => {
    const store = new OwnUsers();
    store.insert({ id: 'usr_ada', name: 'ada', hash: HASH });
    const app = await start({
      idType: 'string',
      findByUsername: (name: string) => store.findByUsername(name),
      loadLoginUser: (id: never) => store.loadLoginUser(id),
    });
    const token = await app.tokenOf('ada');
    expect(await app.stateOf(token)).toBe('live');
    const json = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    expect((await app.call(token, 'POST', 'password', json)).json).toMatchObject({
      code: 50100,
      message: 'The users of this application cannot change their passwords here',
    });
  });

  it('that is undefined, as with a circular import, does not give way to the tables of kit-auth', () => {
    const options = { users: undefined } as unknown as { users: typeof OwnUsersModule };
    expect(() => KitAuthModule.forRoot(options)).toThrow('The option users of KitAuthModule is undefined');
    expect(() => KitAuthModule.forRootAsync({ ...options, useFactory: () => ({}) })).toThrow(
      IllegalStateException,
    );
  });

  it.each(BOTH)('without findByUsername has no login of ours, on %s', async (platform) => {
    const ada = { ...loginUser({ userId: idOf('usr_ada') }) };
    const options = { ...withOwnUsers(), core: core({ idType: 'string', loadLoginUser: async () => ada }) };
    const documents: object[] = [];
    const app = await testApp({
      ...options,
      platform,
      configure: (nest) => {
        documents.push(SwaggerModule.createDocument(nest, new DocumentBuilder().build()));
      },
    });
    expect((await app.login('ada')).status).toBe(404);
    expect(await app.stateOf(await app.issueToken(ada))).toBe('live');
    expect(JSON.stringify(documents)).toContain('/v1/api/auth/me');
    expect(JSON.stringify(documents)).not.toContain('/v1/api/auth/login');
    const document = documentKitAuth(documents[0] as OpenApiDocument, app.nest);
    expect(JSON.stringify(document)).toContain('"userId":{"type":"string"}');
    expect(document.paths['/v1/api/auth/password']).toMatchObject({ post: { responses: { 501: {} } } });
    const login = app.get(AuthManager).login('ada', PASSWORD);
    await expect(login).rejects.toThrow(
      'AuthManager.login() needs a user store with the method findByUsername',
    );
    expect(app.logs.all()).toMatch(
      /off, because the user store \w+ lacks methods: POST login \(findByUsername\); POST p/,
    );
  });

  it('with a mistake in its code is answered with 50300, and the log says where the mistake is', async () => {
    const rows: StoredUser[] = [];
    const findByUsername = async () => ({ ...rows[0], id: rows[0]!.id });
    const app = await start({ findByUsername, loadLoginUser: async () => undefined });
    expect((await app.login('ada')).json.code).toBe(50300);
    expect(app.logs.all()).toMatch(
      /the user store Object failed: TypeError: .*'id'\) TypeError\n +at .*own-users\.spec\.ts:\d+/,
    );
  });

  const ada = { ...loginUser({ userId: 7, username: 'ada', roles: ['editor'] }) };
  const row = { id: 7, username: 'ada', passwordHash: HASH, enabled: true, securityStamp: '' };
  const storeOf = (user: object | null, account: object | null = row) => ({
    findByUsername: async () => account,
    loadLoginUser: async () => user,
  });

  it('that cannot renew a hash lets the user in, and the log says where its mistake is', async () => {
    const rows: StoredUser[] = [];
    const app = await start({ ...storeOf(ada), renewHash: async () => rows[0]!.id });
    expect((await app.login('ada')).status).toBe(200);
    expect(app.logs.all()).toMatch(
      /of user 7 was not renewed: TypeError: .*'id'\)\nTypeError\n +at .*own-users\.spec\.ts:\d+/,
    );
  });
});
