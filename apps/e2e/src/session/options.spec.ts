import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AuthManager, IllegalStateException } from 'kit-auth';
import { AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import {
  KitAuthSessionModule,
  type KitAuthSessionOptions,
  type KitAuthSessionOptionsFactory,
  MemorySessionStore,
} from 'kit-auth-session';
import { AuthSession } from 'kit-auth-session/typeorm';
import { describeAuthProvider } from 'kit-auth-testing';
import {
  BOTH,
  freezeDate,
  loginUser,
  sharedDatabase,
  sharedTestApp,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { SessionCleaner } from '../../../../packages/kit-auth-session/src/session.cleaner.js';
import { SessionAuthProvider } from '../../../../packages/kit-auth-session/src/session.provider.js';
import { secretOf, SessionApp } from './app.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const MINUTE = 60_000;

afterEach(() => {
  jest.useRealTimers();
});

/** Without the throttle, which refuses some of many logins at once. */
const start = (session: KitAuthSessionOptions = {}, more: TestAppOptions = {}) =>
  new SessionApp({ session, options: { login: { throttle: false } }, ...more }).start();

describe.each(['database', 'memory'] as const)('sessions in %s', (store) => {
  it('end when they are not used', async () => {
    const app = await start({ store, idleMinutes: 10 });
    const user = await app.user();
    const token = await app.tokenOf(user.username);
    const pass = freezeDate();
    for (let i = 0; i < 4; i++) {
      pass(9 * MINUTE);
      expect(await app.stateOf(token)).toBe('live');
      await app.sessions.listOf(user.id); // the touch is on its way before this
    }
    pass(10 * MINUTE);
    expect(await app.sessions.listOf(user.id)).toEqual([]);
    expect(await app.stateOf(token)).toBe('40101 idle');
    expect(await app.stateOf(token)).toBe('40101 idle');
  });

  it('do not write on every read', async () => {
    const app = await start({ store });
    const token = await app.adminToken();
    const provider: any = app.get(SessionAuthProvider);
    const touch = jest.spyOn(provider.store, 'touch');
    const pass = freezeDate();
    for (let i = 0; i < 10; i++) {
      pass(5000);
      await app.me(token);
    }
    expect(touch).not.toHaveBeenCalled();
    pass(11_000);
    await Promise.all(Array.from({ length: 10 }, () => app.me(token)));
    expect(touch.mock.calls.length).toBeGreaterThan(0);
  });

  it('expire after timeoutMinutes, also when they are used', async () => {
    const app = await start({ store, timeoutMinutes: 5, idleMinutes: 2 });
    const token = await app.adminToken();
    const pass = freezeDate();
    for (let i = 0; i < 4; i++) {
      pass(MINUTE);
      expect(await app.stateOf(token)).toBe('live');
    }
    pass(MINUTE);
    expect(await app.stateOf(token)).toBe('40101 expired');
  });

  it('are replaced by newer ones of the same user beyond maxPerUser', async () => {
    const app = await start({ store, maxPerUser: 2 });
    const user = await app.user();
    const tokens: string[] = [];
    for (let i = 0; i < 3; i++) {
      tokens.push(await app.tokenOf(user.username));
    }
    expect(await Promise.all(tokens.map((token) => app.stateOf(token)))).toEqual([
      '40101 replaced',
      'live',
      'live',
    ]);
    const many = await Promise.all(Array.from({ length: 20 }, () => app.tokenOf(user.username)));
    const states = await Promise.all(many.map((token) => app.stateOf(token)));
    expect(states.filter((state) => state === 'live')).toHaveLength(2);
    expect(await app.sessions.listOf(user.id)).toHaveLength(2);
  });

  it('are refused beyond maxPerUser with overflow refuse', async () => {
    const app = await start({ store, maxPerUser: 1, overflow: 'refuse' });
    const user = await app.user();
    const token = await app.tokenOf(user.username);
    const refused = await app.login(user.username);
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([403, 40300, 'session-limit']);
    await app.get(AuthManager).logout(token);
    expect((await app.login(user.username)).status).toBe(200);
  });

  it('use a cached user for userCacheSeconds at most', async () => {
    const app = await start({ store, userCacheSeconds: 10 });
    const user = await app.user();
    const token = await app.tokenOf(user.username);
    const pass = freezeDate();
    expect((await app.me(token)).json.nickname).toBe(user.username);
    await app.users.update(user.id, { nickname: 'New' });
    pass(9999);
    expect((await app.me(token)).json.nickname).toBe(user.username);
    pass(1);
    expect((await app.me(token)).json.nickname).toBe('New');
    await app.sessions.endAllOf(user.id);
    expect(await app.stateOf(token)).toBe('40101 kicked');
  });
});

describe('the current session', () => {
  it('is known while a request is handled', async () => {
    const app = await start();
    const user = await app.user();
    const [first, second] = [await app.tokenOf(user.username), await app.tokenOf(user.username)];
    const current = [await app.idOf(first), await app.idOf(second)];
    const ids = (await app.sessions.listOf(user.id)).map(({ id }) => id);
    expect(current.sort()).toEqual(ids.sort());
    expect(app.sessions.currentId()).toBeUndefined();
  });
});

describe('two instances over one database', () => {
  it('agree at once, also after a restart, and the file holds no token', async () => {
    const database = sharedDatabase('sqlite');
    const { options } = database;
    const restarted = () => start({}, { database: { ...options, synchronize: false } });
    const [one, two] = [await start({}, { database }), await restarted()];
    const user = await one.user();
    const token = await one.tokenOf(user.username);
    const other = await two.tokenOf(user.username);
    expect([await two.stateOf(token), await one.stateOf(other)]).toEqual(['live', 'live']);
    await two.get(AuthManager).logout(token);
    expect(await one.stateOf(token)).toBe('40101 logged-out');
    const third = await restarted();
    expect([await third.stateOf(token), await third.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    const directory = dirname(options.database as string);
    const content = readdirSync(directory)
      .map((name) => readFileSync(`${directory}/${name}`, 'latin1'))
      .join('');
    for (const text of [token, other, secretOf(token), secretOf(other)]) {
      expect(content).not.toContain(text);
    }
    for (const { logs } of [one, two, third]) {
      expect(logs.all()).not.toContain(token);
    }
  });
});

describe.each(BOTH)('stateless sessions on %s', (platform) => {
  const startStateless = (session: KitAuthSessionOptions = {}, more: TestAppOptions = {}) =>
    start({ mode: 'stateless', secret: SECRET, ...session }, { platform, ...more });

  it('store nothing at login, and can still be revoked', async () => {
    const store = new MemorySessionStore();
    const create = jest.spyOn(store, 'create');
    const app = await startStateless({ store });
    const user = await app.user();
    const [token, other] = [await app.tokenOf(user.username), await app.tokenOf(user.username)];
    expect(token).toMatch(/^kass1_[\w-]{8}_[\w-]{91,}$/);
    expect([await app.stateOf(token), await app.stateOf(other)]).toEqual(['live', 'live']);
    expect(create).not.toHaveBeenCalled();
    await app.get(AuthManager).logout(token);
    expect([await app.stateOf(token), await app.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    await expect(app.sessions.listOf(user.id)).rejects.toMatchObject({ code: 50100 });
  });

  it.each(['database', 'memory'] as const)('can all be revoked except one, in %s', async (store) => {
    const app = await startStateless({ store });
    const user = await app.user();
    const pass = freezeDate();
    const [kept, ended] = [await app.tokenOf(user.username), await app.tokenOf(user.username)];
    const keptId = await app.idOf(kept);
    await app.sessions.endAllOf(user.id, { exceptId: keptId, reason: 'password-changed' });
    expect([await app.stateOf(kept), await app.stateOf(ended)]).toEqual(['live', '40101 password-changed']);
    pass(1);
    expect(await app.stateOf(await app.tokenOf(user.username))).toBe('live');
    await expect(app.sessions.end(user.id, keptId)).rejects.toMatchObject({ code: 50100 });
    await app.get(AuthManager).logout(kept);
    expect(await app.stateOf(kept)).toBe('40101 logged-out');
  });

  it('follow the user in the database, and expire', async () => {
    const app = await startStateless({ timeoutMinutes: 5 });
    const user = await app.user();
    const token = await app.tokenOf(user.username);
    await app.users.update(user.id, { status: AuthUserStatus.DISABLED });
    expect(await app.stateOf(token)).toBe('40101 disabled');
    await app.users.update(user.id, { status: AuthUserStatus.ENABLED });
    const pass = freezeDate();
    pass(5 * MINUTE - 5000);
    expect(await app.stateOf(token)).toBe('live');
    pass(5000);
    expect(await app.stateOf(token)).toBe('40101 expired');
  });

  it('stay revoked when timeoutMinutes is lower for a while', async () => {
    const database = sharedDatabase('sqlite');
    const days = 24 * 60;
    const pass = freezeDate();
    const long = await startStateless({ timeoutMinutes: 30 * days }, { database });
    const [kicked, loggedOut, kept] = [await long.user(), await long.user(), await long.user()];
    const tokens = await Promise.all([kicked, loggedOut, kept].map(({ username }) => long.tokenOf(username)));
    const short = await startStateless({ timeoutMinutes: 1 }, { database });
    expect(await Promise.all(tokens.map((token) => short.stateOf(token)))).toEqual(
      tokens.map(() => '40101 expired'),
    );
    await short.sessions.endAllOf(kicked.id);
    await short.get(AuthManager).logout(tokens[1] as string);
    pass(20 * days * MINUTE);
    await short.get(SessionCleaner).clean();
    const again = await startStateless({ timeoutMinutes: 30 * days }, { database });
    expect(await Promise.all(tokens.map((token) => again.stateOf(token)))).toEqual([
      '40101 kicked',
      '40101 logged-out',
      'live',
    ]);
    pass(400 * days * MINUTE);
    await again.get(SessionCleaner).clean();
    expect(await again.rowsOf(AuthSession).count()).toBe(0);
  });

  it.each<KitAuthSessionOptions['store']>(['memory', new MemorySessionStore()])(
    'warn that %s forgets ends at a restart',
    async (store) => {
      const { logs } = await startStateless({ store });
      expect(logs.ours()).toContainEqual(
        expect.stringMatching(
          /^warn .*store 'memory' .*mode 'stateless' use 'database' or a RedisSessionStore$/,
        ),
      );
    },
  );

  it('outlive a change of the secret while the old one is in the list', async () => {
    const database = sharedDatabase('sqlite');
    const startWith = (secret: string | string[]) => startStateless({ secret }, { database });
    const next = `the next ${SECRET}`;
    const before = await startWith(SECRET);
    const token = await before.adminToken();
    const during = await startWith([next, SECRET]);
    const newToken = await during.adminToken();
    expect([await during.stateOf(token), await during.stateOf(newToken)]).toEqual(['live', 'live']);
    const after = await startWith(next);
    expect([await after.stateOf(token), await after.stateOf(newToken)]).toEqual(['40101 signature', 'live']);
    expect(await before.stateOf(newToken)).toBe('40101 signature');
  });
});

describe('a stateless implementation', () => {
  const app = sharedTestApp({ session: { mode: 'stateless', secret: SECRET } });
  describeAuthProvider(
    'session-token, stateless',
    { canInvalidate: true, keepsProof: true, sessions: 'ends all' },
    () => ({
      provider: app.get(SessionAuthProvider),
      user: loginUser({ userId: 1, username: 'admin', superAdmin: true, roles: [SUPER_ADMIN] }),
    }),
  );
});

describe('the options of sessions', () => {
  const failure = (session: unknown) =>
    start(session as KitAuthSessionOptions).then(
      () => undefined,
      (error: unknown) => error as Error,
    );

  it.each<[string, unknown]>([
    ...[0, -1, 1.5, '720', null, Number.NaN, Infinity, 1e9].map((value): [string, unknown] => [
      'timeoutMinutes',
      value,
    ]),
    ...[0, '5', null].map((value): [string, unknown] => ['idleMinutes', value]),
    ...[0, -1, 1.5, '2', 1e6].map((value): [string, unknown] => ['maxPerUser', value]),
    ...['drop', null, true].map((value): [string, unknown] => ['overflow', value]),
    ...['redis', null, {}, () => undefined, 1].map((value): [string, unknown] => ['store', value]),
    ...[-1, 1.5, '1', 3601].map((value): [string, unknown] => ['userCacheSeconds', value]),
    ...['sealed', null, 1].map((value): [string, unknown] => ['mode', value]),
    ...['short', '', 1, [], [SECRET, 'short'], null, '\u20ac'.repeat(10)].map((value): [string, unknown] => [
      'secret',
      value,
    ]),
  ])('name %s when it is %j', async (key, value) => {
    const error = await failure({ [key]: value });
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toContain(`${key} must be`);
    expect((error as Error).message).not.toContain(SECRET);
  });

  it.each<[string, KitAuthSessionOptions, RegExp]>([
    ['no secret', { mode: 'stateless' }, /secret is missing/],
    ['idle time', { mode: 'stateless', secret: SECRET, idleMinutes: 5 }, /idleMinutes needs mode 'stateful'/],
    ['a limit', { mode: 'stateless', secret: SECRET, maxPerUser: 5 }, /maxPerUser needs mode 'stateful'/],
  ])('refuse stateless with %s', async (_name, options, expected) => {
    const error = await failure(options);
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toMatch(expected);
  });

  it('refuse a store without keepEndOfAll for stateless sessions', async () => {
    const store = Object.assign(new MemorySessionStore(), { keepEndOfAll: undefined });
    const error = await failure({ mode: 'stateless', secret: SECRET, store });
    expect((error as Error).message).toMatch(/store has no method keepEndOfAll/);
  });

  it('can come from a class, with undefined members', () => {
    class FromElsewhere implements KitAuthSessionOptionsFactory {
      async create() {
        return { store: 'memory' as const, idleMinutes: undefined };
      }
    }
    const { module } = KitAuthSessionModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(KitAuthSessionModule);
  });

  it('warn about unknown members', async () => {
    const app = await start({ timeout: 5 } as KitAuthSessionOptions);
    expect(app.logs.ours()).toContainEqual(expect.stringMatching(/^warn .*timeout is not an option/));
  });

  it('need the core', async () => {
    const error = await testApp({ core: false, provider: 'session' }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toContain('KitAuthModule.forRoot()');
  });
});
