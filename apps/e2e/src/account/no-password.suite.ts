import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import {
  AUTH_CREDENTIAL,
  type AuthEvent,
  AUTH_EVENT_SINK,
  AuthEvents,
  AuthManager,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type UserId,
} from 'kit-auth';
import { ActiveProvider, ActiveUserStore } from 'kit-auth/extend';
import { type AuthUser, AuthUserStatus, newSecurityStamp, SUPER_ADMIN } from 'kit-auth/typeorm';
import { freezeDate, PASSWORD, sharedTestApp, TestApp, type TestAppOptions, type Where } from 'test-support';

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

  withoutPassword(roles: string[] = []): Promise<AuthUser> {
    return this.user({ passwordHash: null, roles });
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

/** What accounts without a password can do, on every database. */
export function describeNoPassword(where: Where): void {
  const { database, platform, provider } = where;
  describe(`an account without a password on ${database}, ${platform}, with ${provider}`, () => {
    const app = sharedTestApp(new NoPasswordApp(where));
    let user: AuthUser;
    let token: string;
    beforeEach(async () => {
      user = await app.withoutPassword();
      token = await app.tokenBy(user);
    });

    it('cannot log in with a password: the answer and the hashes are those of an unknown user', async () => {
      const compare = jest.spyOn(bcrypt, 'compare');
      const answers = [];
      for (const name of [user.username, 'nobody', (await app.user()).username]) {
        compare.mockClear();
        const { status, text, headers } = await app.login(name, 'a wrong one 4711');
        answers.push({ status, text, names: Object.keys(headers).sort(), hashes: compare.mock.calls.length });
      }
      compare.mockRestore();
      expect(answers[0]).toMatchObject({ status: 401, text: expect.stringContaining('40110') });
      expect(answers[0]!.hashes).toBeGreaterThan(0);
      expect(answers).toEqual([answers[0], answers[0], answers[0]]);
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
      expect(await app.stateOf(other)).toBe(provider === 'session' ? '40101 password-changed' : 'live');
      const login = await app.login(user.username, NEXT);
      expect(login.status).toBe(200);
      const again = await app.setPassword(login.json.token, { newPassword: PASSWORD });
      expect([again.status, again.json.code, again.json.message]).toEqual([
        400,
        40000,
        (await app.setPassword(login.json.token, { currentPassword: 1, newPassword: PASSWORD })).json.message,
      ]);
      expect((await app.login(user.username, NEXT)).status).toBe(200);
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
      jest.useRealTimers();
      expect(await app.hashOf(user)).toBeNull();
    });

    it('sets none with a stateless token from before it was changed', async () => {
      await app.users.update(user.id, { securityStamp: newSecurityStamp() });
      expect((await app.setPassword(token)).status).toBe(provider === 'session' ? 204 : 401);
    });

    it('sets none with a provider that does not record how users logged in', async () => {
      const active = app.get(ActiveProvider);
      const provider = Object.create(active.get(), { keepsProof: { value: false } }) as AuthProvider;
      const proof = jest.spyOn(active, 'get').mockReturnValue(provider);
      const answer = await app.setPassword(token);
      const { username } = await app.user();
      const hasOne = await app.setPassword(await app.tokenOf(username));
      proof.mockRestore();
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

    it('gets one password when two pages set it at once', async () => {
      const second = await app.tokenBy(user);
      const answers = await Promise.all(
        [token, second].map((one, i) => app.setPassword(one, { newPassword: `${NEXT} ${i}` })),
      );
      const winner = answers.findIndex(({ status }) => status === 204);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect([40000, 40101, 40900]).toContain(answers[1 - winner]!.json.code);
      expect((await app.login(user.username, `${NEXT} ${winner}`)).status).toBe(200);
    });

    it('of an administrator counts for the rule of the last one', async () => {
      const store = app.get(ActiveUserStore);
      const disable = (id: UserId) =>
        store.transaction(app.get(AuthEvents).begin(), (change) => store.disableUser(id, change));
      const root = await app.withoutPassword([SUPER_ADMIN]);
      const admin = await app.users.findOneByOrFail({ username: 'admin' });
      expect(await disable(admin.id)).toBe(true);
      await expect(disable(root.id)).rejects.toMatchObject({ code: 40900 });
      await app.users.update(admin.id, { status: AuthUserStatus.ENABLED });
      await app.users.delete(root.id);
    });
  });
}
