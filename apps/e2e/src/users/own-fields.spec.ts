import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module, Req } from '@nestjs/common';
import bcrypt from 'bcrypt';
import {
  AUTH_USER_STORE,
  type AuthUserStore,
  CurrentUser,
  KitAuthContext,
  KitAuthModule,
  type KitAuthOptions,
  type LoginUser,
  OptionalUser,
  Public,
  RequireRoles,
  type StoredUser,
} from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { EVERYWHERE, PASSWORD, sharedTestApp, testApp, type TestAppOptions } from 'test-support';

const HASH = bcrypt.hashSync(PASSWORD, 10);

/** An entity of the application. */
class Account {
  readonly id = 7;
  readonly passwordHash = HASH;
  constructor(readonly tenant: string) {}
}

@Injectable()
class Accounts implements AuthUserStore {
  row: Account | undefined = new Account('t1');
  data: object = { tenant: 't1', salary: 1 };
  loads = 0;

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    return { id: 7, username, passwordHash: HASH, enabled: true, securityStamp: '' };
  }

  async loadLoginUser(userId: number): Promise<LoginUser> {
    const { data } = this;
    return {
      userId,
      username: 'ada',
      nickname: 'Ada',
      superAdmin: false,
      roles: [],
      permissions: [],
      data: data as never,
    };
  }

  async requestUser(): Promise<Account | undefined> {
    this.loads++;
    return this.row;
  }
}

@Module({
  providers: [Accounts, { provide: AUTH_USER_STORE, useExisting: Accounts }],
  exports: [Accounts],
})
class AccountsModule {}

@Controller('v1/who')
class WhoController {
  constructor(private readonly context: KitAuthContext) {}

  @Get() who(@Req() { user }: { user?: unknown }, @CurrentUser() current?: LoginUser) {
    const isTheSame = current === this.context.get();
    return { isEntity: user instanceof Account, data: current?.data ?? null, isTheSame };
  }
  @Get('optional') @OptionalUser() optional(@Req() request: { user?: unknown }) {
    return this.who(request, this.context.get());
  }
  @Get('open') @Public() open(@Req() request: object) {
    return { hasUser: 'user' in request };
  }
  @Get('refused') @RequireRoles('nobody-has-this') refused() {}
}

const optionsOf = (options: KitAuthOptions = {}): TestAppOptions => ({
  core: KitAuthModule.forRoot({ users: AccountsModule, password: { cost: 10 }, ...options }),
  controllers: [WhoController],
});

describe.each(EVERYWHERE)(
  'an entity of the application in request.user on $platform with $provider',
  (where) => {
    const app = sharedTestApp({ ...optionsOf(), ...where, session: { store: 'memory' }, database: false });
    const accounts = () => app.get(Accounts);
    const ask = async (path: string, token?: string) => (await app.request(`/v1/who${path}`, { token })).json;
    let token: string;
    beforeEach(async () => {
      token = await app.tokenOf('ada');
      accounts().loads = 0;
    });

    it('is loaded once for each request with a user, whose context has the LoginUser', async () => {
      expect(await ask('', token)).toMatchObject({ isEntity: true, isTheSame: true });
      expect(accounts().loads).toBe(1);
      expect(await ask('/optional', token)).toMatchObject({ isEntity: true });
      expect(accounts().loads).toBe(2);
    });

    it('is not loaded for requests without a user', async () => {
      expect(await ask('/open', token)).toEqual({ hasUser: false });
      expect(await ask('/optional')).toMatchObject({ isEntity: false });
      expect((await ask('', 'wrong')).code).toBe(40101);
      expect(accounts().loads).toBe(0);
    });

    it('may be gone, which refuses the token', async () => {
      const { row } = accounts();
      accounts().row = undefined;
      expect(await ask('', token)).toMatchObject({ code: 40101, reason: 'disabled' });
      expect(await app.codeOf(token)).toBe(40101);
      accounts().row = row;
      expect(await app.codeOf(token)).toBe(200);
    });

    it('is in no answer to a login', async () => {
      const { json } = await app.login('ada');
      expect(Object.keys(json.user)).toEqual(['userId', 'username', 'nickname', 'superAdmin']);
      expect((await app.call(token, 'GET', 'me')).json).toEqual(json.user);
    });
  },
);

it('an entity of the application is not loaded while kit.auth.enabled is false', async () => {
  const app = await testApp({ ...optionsOf({ enabled: false }), database: false });
  expect((await app.request('/v1/who/open')).json).toEqual({ hasUser: false });
  expect((await app.request('/v1/who')).json).toMatchObject({ isEntity: false });
  expect(app.get(Accounts).loads).toBe(0);
});

describe('fields of the application', () => {
  const dataOf = async (app: Awaited<ReturnType<typeof testApp>>, token: string) =>
    (await app.request('/v1/who', { token })).json.data;

  it('are as fresh as the user with sessions', async () => {
    const app = await testApp({ ...optionsOf(), session: { store: 'memory' }, database: false });
    const token = await app.tokenOf('ada');
    expect(await dataOf(app, token)).toEqual({ tenant: 't1', salary: 1 });
    app.get(Accounts).data = { tenant: 't2' };
    expect(await dataOf(app, token)).toEqual({ tenant: 't2' });
  });

  it('are in no JWT unless they are named', async () => {
    const app = await testApp({ ...optionsOf(), database: false });
    const token = await app.tokenOf('ada');
    expect(await dataOf(app, token)).toBeNull();
    expect(Buffer.from(token.split('.')[1]!, 'base64url').toString()).not.toContain('tenant');
  });

  it('are as old as their JWT, which carries those that are named, and new after a refresh', async () => {
    const app = await testApp({
      ...optionsOf({ jwt: { data: ['tenant'] } }),
      imports: [KitAuthRefreshModule.forRoot({ checkSeconds: false })],
    });
    const { token, refreshToken } = (await app.login('ada')).json;
    app.get(Accounts).data = { tenant: 't2', salary: 2 };
    expect([await dataOf(app, token), await dataOf(app, token)]).toEqual([
      { tenant: 't1' },
      { tenant: 't1' },
    ]);
    const refreshed = await app.call(undefined, 'POST', 'token/refresh', { refreshToken });
    expect(await dataOf(app, refreshed.json.token)).toEqual({ tenant: 't2' });
  });

  it('must fit into a JWT, or nobody gets one', async () => {
    const app = await testApp({ ...optionsOf({ jwt: { data: ['tenant'] } }), database: false });
    app.get(Accounts).data = { tenant: 'x'.repeat(1024) };
    const { status, json, headers } = await app.login('ada');
    expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, undefined]);
    expect(json.message).toContain('The data of the user does not fit into a token');
    expect(app.logs.all()).toContain('no token for user 7, whose data would have 1037 bytes as JSON');
  });
});
