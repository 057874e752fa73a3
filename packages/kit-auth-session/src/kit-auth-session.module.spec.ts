import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthProvider,
  type AuthUserStore,
  KitAuthContext,
  KitAuthModule,
  type LoginUser,
  type StoredUser,
} from 'kit-auth';
import { KitAuthSessionModule, SessionManager } from 'kit-auth-session';
import { AuthSession } from 'kit-auth-session/typeorm';
import { loginUser, PASSWORD, sharedTestApp, testApp } from 'test-support';
import { SessionAuthProvider } from './session.provider.js';

const ID = 4711;

@Controller('v1/proof')
class ProofController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  proof() {
    return this.context.proof();
  }
}

class UserList implements AuthUserStore {
  private readonly passwordHash = bcrypt.hashSync(PASSWORD, 4);

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    return username === 'ada'
      ? { id: ID, username, passwordHash: this.passwordHash, enabled: true, securityStamp: '' }
      : undefined;
  }

  async loadLoginUser(userId: number): Promise<LoginUser | undefined> {
    return userId === ID ? loginUser({ userId }) : undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: UserList }], exports: [AUTH_USER_STORE] })
class UserListModule {}

class TextIds extends UserList {
  readonly idType = 'string';
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: TextIds }], exports: [AUTH_USER_STORE] })
class TextIdsModule {}

const withoutTypeOrm = (users = UserListModule) => ({
  database: false as const,
  core: KitAuthModule.forRoot({ users, password: { cost: 10 } }),
  controllers: [ProofController],
});

describe('KitAuthSessionModule', () => {
  it('needs no options, and keeps the proof as ASCII', async () => {
    const app = await testApp({ provider: KitAuthSessionModule, controllers: [ProofController] });
    const proof = { factors: { password: 1 }, actor: { userId: 1, username: '\u7ba1\u7406\u{1f600}' } };
    const token = await app.get<AuthProvider>(AUTH_PROVIDER).issueToken(loginUser({ userId: 1 }), proof);
    const { json } = await app.request('/v1/proof', { token });
    expect(json).toEqual({ loginId: expect.stringMatching(/^1\.[\w-]{43}$/), ...proof });
    const row = await app.rowsOf(AuthSession).findOneByOrFail({ id: json.loginId });
    expect(row.proof).toMatch(/^[ -~]+$/);
  });

  it.each([{ store: 'memory' }, { store: 'memory', mode: 'stateless', secret: 's'.repeat(32) }] as const)(
    'works with another user store than TypeORM: %j',
    async (session) => {
      const app = await testApp({ ...withoutTypeOrm(), session });
      const token = await app.tokenOf('ada');
      expect((await app.request('/v1/proof', { token })).json.factors).toEqual({
        password: expect.any(Number),
      });
      await app.call(token, 'POST', 'logout');
      expect(await app.stateOf(token)).toBe('40101 logged-out');
    },
  );

  it('refuses to keep sessions in a database that is not there', async () => {
    const started = testApp({ ...withoutTypeOrm(), provider: KitAuthSessionModule });
    await expect(started).rejects.toThrow("store 'database' needs a data source of TypeORM");
  });

  it('keeps sessions in the database with another user store', async () => {
    const app = await testApp({ ...withoutTypeOrm(), session: {}, database: 'sqlite' });
    const token = await app.tokenOf('ada');
    expect(await app.stateOf(token)).toBe('live');
    expect(await app.rowsOf(AuthSession).find()).toMatchObject([{ userId: String(ID), endedBy: null }]);
    await app.call(token, 'POST', 'logout');
    expect(await app.stateOf(token)).toBe('40101 logged-out');
  });

  describe.each<[string, typeof UserListModule, readonly (readonly [unknown, string])[]]>([
    [
      'numbers',
      UserListModule,
      [
        [0, 'not a whole number above 0'],
        [2 ** 31, 'needs user ids that are whole numbers from 1 to 2147483647'],
        ['ada', "UserList returned a user whose id is of the type string: idType is 'number'"],
      ],
    ],
    [
      'strings',
      TextIdsModule,
      [
        ['', 'not 1 to 128 characters'],
        ['a'.repeat(129), 'not 1 to 128 characters'],
        [7, "TextIds returned a user whose id is of the type number: idType is 'string'"],
      ],
    ],
  ])('where ids are %s', (_type, users, cases) => {
    const app = sharedTestApp({ ...withoutTypeOrm(users), session: { store: 'memory' } });

    it.each(cases)('issues no token for a user with the id %p', async (userId, problem) => {
      const issued = app.get(SessionAuthProvider).issueToken(loginUser({ userId: userId as number }));
      await expect(issued).rejects.toThrow(problem);
    });
  });
});

it('lets every module inject the SessionManager', async () => {
  @Injectable()
  class Devices {
    constructor(readonly sessions: SessionManager) {}
  }
  @Module({ providers: [Devices] })
  class DevicesModule {}

  const app = await testApp({ provider: 'session', imports: [DevicesModule] });
  expect(await app.get(Devices).sessions.listOf(1)).toEqual([]);
});
