import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { NewPasswords, PasswordCheck } from 'kit-auth/login';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { type DatabaseName, PASSWORD, sharedDatabase, sharedTestApp } from 'test-support';
import { type ClientLogin, claimsOf, RefreshApp } from './app.js';

/** What refresh tokens do on every database. */
export function describeRefresh(database: DatabaseName): void {
  describe(`refresh tokens on ${database}`, () => {
    const shared = sharedDatabase(database);
    const app = sharedTestApp(new EmptyDatabaseApp(shared));
    const second = sharedTestApp(
      new RefreshApp({
        database: { ...shared, options: { ...shared.options, synchronize: false } as never },
      }),
    );
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    it('have one successor, however many ask for it at once', async () => {
      const user = await app.user();
      const login = await app.open(user);
      const instances = [app, second];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => instances[i % 2]!.refresh(login.refreshToken)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const successors = new Set(answers.map(({ json }) => json.refreshToken));
      expect(successors.size).toBe(1);
      expect(await app.rowOf(login)).toMatchObject({ rotations: 1, replayedIn: 1, replays: 1 });
      expect(await app.outcomeOf([...successors][0] as string)).toBe('200');
      const events = [...app.eventsOf(user), ...second.eventsOf(user)];
      expect(events.filter((type) => type === 'token-refreshed')).toHaveLength(2);
      // The others become one event at the end of the minute.
      expect(events.filter((type) => type === 'token-replayed')).toHaveLength(2);
    });

    it('count a replay whose answer a refresh overtakes', async () => {
      const login = await app.open(await app.user());
      const next = await app.refreshed(login);
      const gate = gateBeforeIssuing(second);
      const outcome = second.outcomeOf(login.refreshToken);
      await gate.entered;
      await app.refreshed(next);
      gate.open();
      expect(await outcome).toBe('200');
      expect(await app.rowOf(login)).toMatchObject({ rotations: 2, replayedIn: 1, replays: 1 });
    });

    it('keep the proof, and show no token to who reads the table', async () => {
      const factors = { password: 1_800_000_000, totp: 1_800_000_001 };
      const first = await app.open(await app.user(), { factors, actor: { userId: 1, username: 'Åsa' } });
      const next = await second.refreshed(first);
      const login = await app.refreshed(next);
      expect(claimsOf(login.token)).toMatchObject({
        factors,
        act: { sub: '1', userId: 1, username: 'Åsa' },
        sid: login.id,
      });
      const row = JSON.stringify(await app.rowOf(login));
      for (const { refreshToken } of [first, next, login]) {
        expect(row).not.toContain(refreshToken.slice(-51, -8));
        expect(row).not.toContain(refreshToken.slice(-74, -52));
      }
    });

    it.each<[string, Partial<Record<keyof AuthLogin, unknown>>]>([
      ['current', { current: 'x' }],
      ['salt and current', { salt: '*', current: '' }],
      ['userId', { userId: '1' }],
      ['userId', { userId: 'no number' }],
      ['factors', { factors: '{' }],
      ['expiresAt', { expiresAt: -1 }],
      ['factors', { factors: '{"factors":{"password":1,"__proto__":1}}' }],
      ['rotations', { rotations: -1 }],
      ['replays', { replayedIn: -1, replays: -1 }],
      ['lastSeenAt', { lastSeenAt: '9223372036854775807' }],
      ['endedBy', { endedBy: 'no reason!' }],
    ])('are refused when somebody has tampered with %s', async (_columns, changes) => {
      const login = await app.open(await app.user());
      await app.rowsOf(AuthLogin).update({ id: login.id }, changes as object);
      expect(await app.outcomeOf(login.refreshToken)).toMatch(/^40101/);
      expect((await app.endToken(login.refreshToken)).status).toBe(204);
      expect((await second.stateOf(login.token)).slice(0, 5)).toMatch(/^(live|40101)/);
    });

    const ends: Record<string, (login: ClientLogin, userId: number, other: ClientLogin) => Promise<unknown>> =
      {
        'a logout': (login) => app.call(login.token, 'POST', 'logout'),
        'POST token/end': (login) => app.endToken(login.refreshToken),
        endAllOf: (_login, userId) => app.logins.endAllOf(userId),
        'a user who is disabled': (_login, userId) =>
          app.call(admin, 'PATCH', `users/${userId}`, { status: AuthUserStatus.DISABLED }),
        'a new password': (_login, _userId, other) =>
          app.call(other.token, 'POST', 'password', {
            currentPassword: PASSWORD,
            newPassword: 'another 4711 one',
          }),
      };

    it.each(Object.keys(ends))('fail when %s is answered while they are refreshed', async (name) => {
      withoutHashes(app);
      for (const isReplay of [false, true]) {
        const user = await app.user();
        const [login, other] = [await app.open(user), await app.open(user)];
        if (isReplay) {
          await app.refreshed(login);
        }
        const gate = gateBeforeIssuing(second);
        const outcome = second.outcomeOf(login.refreshToken);
        await gate.entered;
        await ends[name]!(login, user.id, other);
        gate.open();
        expect(await outcome).toMatch(/^40101 (logged-out|kicked|disabled|password-changed)$/);
      }
    });
  });
}

/** Holds the next access token back. @returns when it is about to be issued, and what lets it go on */
function gateBeforeIssuing(app: RefreshApp): { entered: Promise<void>; open: () => void } {
  const provider = app.get<AuthProvider>(AUTH_PROVIDER);
  const issue = provider.issueToken.bind(provider);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const entered = new Promise<void>((resolve) => {
    jest.spyOn(provider, 'issueToken').mockImplementationOnce(async (...args) => {
      resolve();
      await opened;
      return issue(...args);
    });
  });
  return { entered, open };
}

/** Makes the database empty first. */
class EmptyDatabaseApp extends RefreshApp {
  constructor(private readonly shared: ReturnType<typeof sharedDatabase>) {
    super({ database: shared, admin: true });
  }

  override async start(): Promise<this> {
    await this.shared.recreate();
    return super.start();
  }
}

/** A change of the password takes two hashes. */
function withoutHashes(app: RefreshApp): void {
  const check = app.get(PasswordCheck);
  jest.spyOn(check, 'verify').mockImplementation(async ({ username }) => {
    const { id, securityStamp } = await app.users
      .createQueryBuilder('user')
      .addSelect('user.securityStamp')
      .where({ username })
      .getOneOrFail();
    return { user: { userId: id, username }, stamp: securityStamp } as never;
  });
  jest.spyOn(app.get(NewPasswords), 'hash').mockResolvedValue(`$2b$10$${'x'.repeat(53)}`);
}
