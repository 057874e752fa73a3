import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  AUTH_CREDENTIAL,
  AUTH_EVENT_SINK,
  type AuthEvent,
  AuthManager,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';
import { ActiveProvider } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { type AuthUser, newSecurityStamp } from 'kit-auth/typeorm';
import { EVERYWHERE, freezeDate, PASSWORD, sharedTestApp, TestApp, type TestAppOptions } from 'test-support';

const NEXT = 'another right one 4712';
const MINUTE = 60_000;

class NoPasswordApp extends TestApp {
  readonly events: AuthEvent[];
  /** Whose tokens begin with `own_`. */
  readonly credential = {
    prefix: 'own_',
    scheme: 'own',
    resolve: (): Promise<ResolvedLogin> => this.resolved(),
  };
  resolved!: () => Promise<ResolvedLogin>;

  constructor(where: TestAppOptions) {
    const events: AuthEvent[] = [];
    const sink = { keep: async (event: AuthEvent) => void events.push(event) };
    super({
      ...where,
      options: { login: { throttle: false }, jwt: { secret: 's'.repeat(32) } },
      providers: [
        { provide: AUTH_EVENT_SINK, useValue: sink },
        { provide: AUTH_CREDENTIAL, useFactory: () => this.credential },
      ],
    });
    this.events = events;
  }

  /** A token of a login by other means. */
  async tokenBy(user: AuthUser, factor = 'acme'): Promise<string> {
    const factors = { [factor]: Math.floor(Date.now() / 1000) };
    return (await this.get(AuthManager).loginAs(user.id, { factors }))['token'] as string;
  }

  setPassword(token: string, body: object = { newPassword: NEXT }) {
    return this.call(token, 'POST', 'password', body);
  }

  async hashOf({ id }: AuthUser): Promise<string | null> {
    const select = { id: true, passwordHash: true } as const;
    return (await this.users.findOneOrFail({ where: { id }, select })).passwordHash;
  }
}

describe.each(EVERYWHERE)('an account without a password on $platform with $provider', (where) => {
  const app = sharedTestApp(new NoPasswordApp(where));
  let user: AuthUser;
  let token: string;
  beforeEach(async () => {
    user = await app.user({ passwordHash: null });
    token = await app.tokenBy(user);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('sets its first password with a fresh login, which ends its other sessions', async () => {
    const other = await app.tokenBy(user);
    app.events.length = 0;
    const answer = await app.setPassword(token);
    expect([answer.status, answer.json]).toEqual([204, undefined]);
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'password-changed', subjectId: user.id, actorId: user.id }),
    );
    expect(await app.stateOf(token)).toBe('live');
    expect(await app.stateOf(other)).toBe(where.provider === 'session' ? '40101 password-changed' : 'live');
    const login = await app.login(user.username, NEXT);
    expect(login.status).toBe(200);
    const again = await app.setPassword(login.json.token, { newPassword: PASSWORD });
    expect([again.status, again.json.code]).toEqual([400, 40000]);
  });

  it.each([
    [{ newPassword: 'short7c' }, 40000, 'password-too-short'],
    [{ newPassword: 'password' }, 40000, 'password-common'],
    [{ newPassword: ' ' }, 40000, undefined],
    [{ newPassword: 4711 }, 40000, undefined],
    [{}, 40000, undefined],
    [{ newPassword: NEXT, currentPassword: null }, 40000, undefined],
    [{ newPassword: NEXT, endKeys: 'yes' }, 40000, undefined],
    [{ newPassword: NEXT, currentPassword: NEXT }, 40110, undefined],
    [{ newPassword: NEXT, currentPassword: PASSWORD }, 40110, undefined],
  ])('stays without a password for %j: %i, %s', async (body, code, reason) => {
    const { json } = await app.setPassword(token, body);
    expect([json.code, json.reason]).toEqual([code, reason]);
    expect(await app.hashOf(user)).toBeNull();
  });

  it('needs a fresh login to set one', async () => {
    const pass = freezeDate();
    const old = await app.tokenBy(user);
    const byMail = await app.tokenBy(user, 'email');
    expect((await app.setPassword(byMail)).json.code).toBe(40120);
    pass(11 * MINUTE);
    expect((await app.setPassword(old)).json.code).toBe(40120);
    expect(await app.hashOf(user)).toBeNull();
  });

  it('sets none with a stateless token from before it was changed', async () => {
    await app.users.update(user.id, { securityStamp: newSecurityStamp() });
    expect((await app.setPassword(token)).status).toBe(where.provider === 'session' ? 204 : 401);
  });

  it('sets none with a provider that does not record how users logged in', async () => {
    const active = app.get(ActiveProvider);
    const provider = Object.create(active.get(), { keepsProof: { value: false } }) as AuthProvider;
    jest.spyOn(active, 'get').mockReturnValue(provider);
    const answer = await app.setPassword(token);
    const { username } = await app.user();
    const hasOne = await app.setPassword(await app.tokenOf(username));
    expect([answer.status, answer.json.code, hasOne.json.code]).toEqual([501, 50100, 40000]);
    expect(await app.hashOf(user)).toBeNull();
  });

  it('gets none from a token of a credential, or of somebody who acts as the user', async () => {
    const loginUser = (await app.get(ActiveUserStore).loadLoginUser(user.id)) as LoginUser;
    const proof: LoginProof = { factors: { acme: Math.floor(Date.now() / 1000) } };
    app.resolved = async () => ({ user: loginUser, proof });
    const actor = { userId: (await app.user()).id, username: 'root' };
    const acting = await app
      .get(ActiveProvider)
      .get()
      .issueToken(loginUser, { ...proof, actor });
    for (const one of ['own_1', acting]) {
      expect(await app.stateOf(one)).toBe('live');
      expect((await app.setPassword(one)).json.code).toBe(40300);
    }
    expect(await app.hashOf(user)).toBeNull();
    expect((await app.setPassword(token)).status).toBe(204);
  });
});
