import { createHash, createHmac } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { NewPasswords, PasswordCheck } from 'kit-auth/extend';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import {
  type DatabaseName,
  freezeDate,
  loginUser,
  PASSWORD,
  sharedDatabase,
  sharedTestApp,
} from 'test-support';
import { type ClientLogin, claimsOf, RefreshApp } from './app.js';

const DAY = 24 * 60 * 60_000;
const AT_ONCE = 5;

/** What refresh tokens do on every database. @param rounds of each race */
export function describeRefresh(database: DatabaseName, rounds: number): void {
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
      jest.useRealTimers();
    });

    it('have one successor, however many ask for it at once', async () => {
      const user = await app.user();
      const login = await app.open(user);
      const instances = [app, second];
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => instances[i % 2]!.refresh(login.refreshToken)),
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

    /** Refreshes, and sends the former token once more. */
    const replayed = async (login: ClientLogin) => {
      const next = await app.refreshed(login);
      return { next, outcome: await second.outcomeOf(login.refreshToken) };
    };

    it('are replayed in two generations in a row, and end with a replay in a later one', async () => {
      const user = await app.user();
      let login = await app.open(user);
      for (let i = 0; i < 2; i++) {
        const { next, outcome } = await replayed(login);
        expect(outcome).toBe('200');
        // As often as ever in the same generation.
        expect(await app.outcomeOf(login.refreshToken)).toBe('200');
        login = next;
      }
      // Neither a generation without a replay nor a confirmed login begins anew.
      login = await second.refreshed(await app.refreshed(login));
      const principal = { user: loginUser({ userId: user.id }), proof: { loginId: login.id, factors: {} } };
      const renewed = await app.logins.renew?.(principal, undefined);
      login = await app.refreshed({ ...login, refreshToken: renewed?.answer?.['refreshToken'] as string });
      const { next, outcome } = await replayed(login);
      expect(outcome).toBe('40101 reused');
      expect(await app.outcomeOf(next.refreshToken)).toBe('40101 reused');
      expect(await second.stateOf(next.token)).toBe('40101 reused');
      expect((await app.rowOf(login)).endedBy).toBe('reused');
      const events = [...app.eventsOf(user), ...second.eventsOf(user)];
      expect(events.filter((type) => /reused|shared/.test(type))).toEqual(['token-shared']);
    });

    it('are replayed by fifty requests at once in two generations, and no answer is another', async () => {
      let login = await app.open(await app.user());
      for (const generation of [1, 2]) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, i) => [app, second][i % 2]!.refresh(login.refreshToken)),
        );
        expect(new Set(answers.map(({ status, json }) => `${status} ${json.refreshToken}`)).size).toBe(1);
        expect(answers[0]?.status).toBe(200);
        login = { ...login, refreshToken: answers[0]?.json.refreshToken };
        expect(await app.rowOf(login)).toMatchObject({ replayedIn: generation, replays: generation });
      }
    });

    it('count a replay whose answer a refresh overtakes', async () => {
      const login = await app.open(await app.user());
      const next = await app.refreshed(login);
      const gate = gateBeforeIssuing(second);
      const outcome = second.outcomeOf(login.refreshToken);
      await gate.entered;
      const third = await app.refreshed(next);
      gate.open();
      expect(await outcome).toBe('200');
      expect(await app.rowOf(login)).toMatchObject({ rotations: 2, replayedIn: 1, replays: 1 });
      expect((await replayed(third)).outcome).toBe('200');
    });

    it('end when they are used after their successor', async () => {
      const user = await app.user();
      const login = await app.open(user);
      const third = await app.refreshed(await app.refreshed(login));
      expect(await app.outcomeOf(login.refreshToken)).toBe('40101 reused');
      expect(await second.outcomeOf(third.refreshToken)).toBe('40101 reused');
      expect(await second.outcomeOf(login.refreshToken)).toBe('40101 reused');
      expect(await app.stateOf(third.token)).toBe('40101 reused');
      const events = [...app.eventsOf(user), ...second.eventsOf(user)];
      expect(events.filter((type) => type === 'token-reused')).toHaveLength(1);
    });

    it('are idle after idleDays, and expire after lifetimeDays', async () => {
      const moveDate = freezeDate();
      const user = await app.user();
      const [idle, used] = [await app.open(user), await app.open(user)];
      let login = used;
      for (let day = 0; day < 28; day += 4) {
        moveDate(4 * DAY);
        login = await app.refreshed(login);
      }
      expect(await app.outcomeOf(idle.refreshToken)).toBe('40101 idle');
      expect((await app.rowOf(idle)).endedBy).toBe('idle');
      expect((await app.logins.listOf(user.id)).map(({ id }) => id)).toEqual([used.id]);
      moveDate(2 * DAY - 1000);
      const { json } = await app.refresh(login.refreshToken);
      expect([json.expiresAt, claimsOf(json.token).exp]).toEqual([
        Math.floor(Date.now() / 1000) + 1,
        Math.floor(Date.now() / 1000) + 1,
      ]);
      moveDate(1000);
      expect(await app.outcomeOf(json.refreshToken)).toBe('40101 expired');
    });

    it('keep the times of the factors over twenty refreshes', async () => {
      const moveDate = freezeDate();
      const factors = { password: Math.floor(Date.now() / 1000) - 60, totp: Math.floor(Date.now() / 1000) };
      let login = await app.open(await app.user(), { factors, actor: { userId: 1, username: 'Åsa' } });
      for (let i = 0; i < 20; i++) {
        moveDate(60_000);
        login = await (i % 2 === 0 ? app : second).refreshed(login);
      }
      expect(claimsOf(login.token)).toMatchObject({
        factors,
        act: { userId: 1, username: 'Åsa' },
        sid: login.id,
      });
      expect((await app.rowOf(login)).rotations).toBe(20);
    });

    it('survive clocks that are five seconds apart, and one that is set back', async () => {
      const moveDate = freezeDate();
      let login = await app.open(await app.user());
      for (let i = 0; i < 6; i++) {
        const former = login;
        login = await app.refreshed(former);
        moveDate(-5000);
        expect((await second.refresh(former.refreshToken)).json.refreshToken).toBe(login.refreshToken);
        login = await second.refreshed(login);
        moveDate(5000);
      }
      moveDate(-10 * DAY);
      const former = login;
      login = await app.refreshed(former);
      expect((await app.refresh(former.refreshToken)).json.refreshToken).toBe(login.refreshToken);
      moveDate(10 * DAY);
      expect(await app.outcomeOf(login.refreshToken)).toBe('200');
    });

    it('are useless to who has a copy of the table, and all but the last two tokens', async () => {
      let login = await app.open(await app.user());
      const tokens: string[] = [];
      for (let i = 0; i < 4; i++) {
        tokens.push(login.refreshToken);
        login = await app.refreshed(login);
      }
      const row = await app.rowOf(login);
      const secretOf = (token: string) => Buffer.from(token.slice(-51, -8), 'base64url');
      const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
      const salt = Buffer.from(row.salt as string, 'base64url');
      const texts = Object.values(row).filter((value): value is string => typeof value === 'string');
      const known = [
        ...texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, 'base64url')]),
        ...tokens.slice(0, -1).map(secretOf),
      ];
      const guesses = known.flatMap((secret) => [
        secret,
        sha256(secret),
        createHmac('sha256', secret).update(salt).digest(),
      ]);
      const current = guesses.map((guess) => sha256(guess).toString('base64url')).indexOf(row.current);
      expect(current).toBe(-1);
      for (const token of [login.refreshToken, ...tokens]) {
        expect(JSON.stringify(row)).not.toContain(token.slice(-51, -8));
        expect(JSON.stringify(row)).not.toContain(token.slice(-74, -52));
      }
    });

    it.each<[string, Partial<Record<keyof AuthLogin, unknown>>]>([
      ['current', { current: 'x' }],
      ['salt and current', { salt: '*', current: '' }],
      ['userId', { userId: '1' }],
      ['userId', { userId: 'no number' }],
      ['factors', { factors: '{' }],
      ['factors', { factors: '{"factors":{"password":-1}}' }],
      ['factors', { factors: '[]' }],
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

    it('begin to count again after what the column can hold', async () => {
      const login = await app.open(await app.user());
      await app.rowsOf(AuthLogin).update({ id: login.id }, { rotations: 2 ** 31 - 2 });
      const first = await replayed(login);
      const second = await replayed(first.next);
      expect(await app.rowOf(login)).toMatchObject({ rotations: 0, replayedIn: 0, replays: 2 });
      const third = await replayed(second.next);
      expect([first, second, third].map(({ outcome }) => outcome)).toEqual(['200', '200', '40101 reused']);
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

    it.each(Object.keys(ends))('never succeed once %s was answered', async (name) => {
      withoutHashes(app);
      const end = ends[name]!;
      const round = async () => {
        const user = await app.user();
        const [login, other] = [await app.open(user), await app.open(user)];
        const [early, late] = await Promise.all([
          app.refresh(login.refreshToken),
          end(login, user.id, other).then(() => app.outcomeOf(login.refreshToken)),
        ]);
        const rest =
          early.status === 200
            ? [await app.outcomeOf(early.json.refreshToken), await app.stateOf(early.json.token)]
            : [String(early.json.code)];
        return [late, ...rest];
      };
      const unexpected: string[] = [];
      for (let done = 0; done < rounds; done += AT_ONCE) {
        const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, round));
        unexpected.push(...outcomes.flat().filter((outcome) => !outcome.startsWith('40101')));
      }
      expect(unexpected).toEqual([]);
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
