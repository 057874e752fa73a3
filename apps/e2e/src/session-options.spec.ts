import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getRepositoryToken, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { AuthManager, IllegalStateException } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import {
  AuthSession,
  KitAuthSessionModule,
  type KitAuthSessionOptions,
  type KitAuthSessionOptionsFactory,
  MemorySessionStore,
} from 'kit-auth-session';
import { describeAuthProvider } from 'kit-auth-testing';
import { SessionCleaner } from '../../../packages/kit-auth-session/src/session.cleaner.js';
import { SessionAuthProvider } from '../../../packages/kit-auth-session/src/session.provider.js';
import { database } from './databases.js';
import { tokenOf } from './login.js';
import { BOTH, type Platform, type Running, start } from './platforms.js';
import './remember-hashes.js';
import { ALL_BUT_DATE, Client, secretOf, SessionApp } from './session-app.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const MINUTE = 60_000;

let running: Running[] = [];
afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(running.map(({ app }) => app.close()));
  running = [];
});

async function boot(
  options: KitAuthSessionOptions = {},
  db?: TypeOrmModuleOptions,
  platform?: Platform,
): Promise<Client> {
  const one = await start(SessionApp.with(options, db), platform === undefined ? {} : { platform });
  running.push(one);
  return new Client(one);
}

function freeze(): (milliseconds: number) => void {
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE], now: Date.now() });
  return (milliseconds) => jest.setSystemTime(Date.now() + milliseconds);
}

describe.each(['database', 'memory'] as const)('sessions in %s', (store) => {
  it('end when they are not used', async () => {
    const client = await boot({ store, idleMinutes: 10 });
    const user = await client.newUser();
    const token = await client.tokenOf(user.username);
    const pass = freeze();
    for (let i = 0; i < 4; i++) {
      pass(9 * MINUTE);
      expect(await client.stateOf(token)).toBe('live');
      await client.sessions.listOf(user.id); // the touch is on its way before this
    }
    pass(10 * MINUTE);
    expect(await client.sessions.listOf(user.id)).toEqual([]);
    expect(await client.stateOf(token)).toBe('40101 idle');
    expect(await client.stateOf(token)).toBe('40101 idle');
  });

  it('do not write on every read', async () => {
    const client = await boot({ store });
    const token = await tokenOf(client.running.port);
    const provider: any = client.running.app.get(SessionAuthProvider, { strict: false });
    const touch = jest.spyOn(provider.store, 'touch');
    const pass = freeze();
    for (let i = 0; i < 10; i++) {
      pass(5000);
      await client.me(token);
    }
    expect(touch).not.toHaveBeenCalled();
    pass(11_000);
    await Promise.all(Array.from({ length: 10 }, () => client.me(token)));
    expect(touch.mock.calls.length).toBeGreaterThan(0);
  });

  it('live no longer than their time, however busy', async () => {
    const client = await boot({ store, timeoutMinutes: 5, idleMinutes: 2 });
    const token = await tokenOf(client.running.port);
    const pass = freeze();
    for (let i = 0; i < 4; i++) {
      pass(MINUTE);
      expect(await client.stateOf(token)).toBe('live');
    }
    pass(MINUTE);
    expect(await client.stateOf(token)).toBe('40101 expired');
  });

  it('give way to newer ones of the same user', async () => {
    const client = await boot({ store, maxPerUser: 2 });
    const user = await client.newUser();
    const tokens: string[] = [];
    for (let i = 0; i < 3; i++) {
      tokens.push(await client.tokenOf(user.username));
    }
    expect(await Promise.all(tokens.map((token) => client.stateOf(token)))).toEqual([
      '40101 replaced',
      'live',
      'live',
    ]);
    const many = await Promise.all(Array.from({ length: 20 }, () => client.tokenOf(user.username)));
    const states = await Promise.all(many.map((token) => client.stateOf(token)));
    expect(states.filter((state) => state === 'live')).toHaveLength(2);
    expect(await client.sessions.listOf(user.id)).toHaveLength(2);
  });

  it('may be refused instead', async () => {
    const client = await boot({ store, maxPerUser: 1, overflow: 'refuse' });
    const user = await client.newUser();
    const token = await client.tokenOf(user.username);
    const refused = await client.login(user.username);
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([403, 40300, 'session-limit']);
    await client.running.app.get(AuthManager).logout(token);
    expect((await client.login(user.username)).status).toBe(200);
  });

  it('see a user that is as old as accepted, and no older', async () => {
    const client = await boot({ store, userCacheSeconds: 10 });
    const user = await client.newUser();
    const token = await client.tokenOf(user.username);
    const pass = freeze();
    expect((await client.me(token)).json.nickname).toBe(user.username);
    await client.users.update(user.id, { nickname: 'New' });
    pass(9999);
    expect((await client.me(token)).json.nickname).toBe(user.username);
    pass(1);
    expect((await client.me(token)).json.nickname).toBe('New');
    await client.sessions.endAllOf(user.id);
    expect(await client.stateOf(token)).toBe('40101 kicked');
  });
});

describe('the current session', () => {
  it('is known while a request is handled', async () => {
    const client = await boot();
    const user = await client.newUser();
    const [first, second] = [await client.tokenOf(user.username), await client.tokenOf(user.username)];
    const [one, two] = [
      await client.get('/v1/sessions/current', first),
      await client.get('/v1/sessions/current', second),
    ];
    const ids = (await client.sessions.listOf(user.id)).map(({ id }) => id);
    expect([one.json.id, two.json.id].sort()).toEqual(ids.sort());
    expect(client.sessions.currentId()).toBeUndefined();
  });
});

describe('two instances over one database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kit-auth-session-'));
  const db = {
    type: 'better-sqlite3' as const,
    database: join(directory, 'a.sqlite'),
    autoLoadEntities: true,
    synchronize: true,
  };

  it('agree at once, also after a restart, and the file holds no token', async () => {
    const [one, two] = [await boot({}, db), await boot({}, { ...db, synchronize: false })];
    const user = await one.newUser();
    const token = await one.tokenOf(user.username);
    const other = await two.tokenOf(user.username);
    expect([await two.stateOf(token), await one.stateOf(other)]).toEqual(['live', 'live']);
    await two.running.app.get(AuthManager).logout(token);
    expect(await one.stateOf(token)).toBe('40101 logged-out');
    const third = await boot({}, { ...db, synchronize: false });
    expect([await third.stateOf(token), await third.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    const content = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('');
    for (const text of [token, other, secretOf(token), secretOf(other)]) {
      expect(content).not.toContain(text);
    }
    for (const { logger } of running) {
      expect(logger.all()).not.toContain(token);
    }
    await Promise.all(running.splice(0).map(({ app }) => app.close()));
    rmSync(directory, { recursive: true });
  });
});

describe.each(BOTH)('stateless sessions on %s', (platform) => {
  const bootStateless = (options: KitAuthSessionOptions = {}, db?: TypeOrmModuleOptions) =>
    boot({ mode: 'stateless', secret: SECRET, ...options }, db, platform);

  it('store nothing at login, and end all the same', async () => {
    const store = new MemorySessionStore();
    const create = jest.spyOn(store, 'create');
    const client = await bootStateless({ store });
    const user = await client.newUser();
    const [token, other] = [await client.tokenOf(user.username), await client.tokenOf(user.username)];
    expect(token).toMatch(/^kass1_[\w-]{8}_[\w-]{91}$/);
    expect([await client.stateOf(token), await client.stateOf(other)]).toEqual(['live', 'live']);
    expect(create).not.toHaveBeenCalled();
    await client.running.app.get(AuthManager).logout(token);
    expect([await client.stateOf(token), await client.stateOf(other)]).toEqual(['40101 logged-out', 'live']);
    await expect(client.sessions.listOf(user.id)).rejects.toMatchObject({ code: 50100 });
  });

  it.each(['database', 'memory'] as const)('end all at once, but for one, in %s', async (store) => {
    const client = await bootStateless({ store });
    const user = await client.newUser();
    const pass = freeze();
    const [kept, ended] = [await client.tokenOf(user.username), await client.tokenOf(user.username)];
    const keptId = (await client.get('/v1/sessions/current', kept)).json.id;
    await client.sessions.endAllOf(user.id, { exceptId: keptId, reason: 'password-changed' });
    expect([await client.stateOf(kept), await client.stateOf(ended)]).toEqual([
      'live',
      '40101 password-changed',
    ]);
    pass(1);
    expect(await client.stateOf(await client.tokenOf(user.username))).toBe('live');
    await expect(client.sessions.end(user.id, keptId)).rejects.toMatchObject({ code: 50100 });
    await client.running.app.get(AuthManager).logout(kept);
    expect(await client.stateOf(kept)).toBe('40101 logged-out');
  });

  it('follow the user in the database, and expire', async () => {
    const client = await bootStateless({ timeoutMinutes: 5 });
    const user = await client.newUser();
    const token = await client.tokenOf(user.username);
    await client.users.update(user.id, { status: AuthUserStatus.DISABLED });
    expect(await client.stateOf(token)).toBe('40101 disabled');
    await client.users.update(user.id, { status: AuthUserStatus.ENABLED });
    const pass = freeze();
    pass(5 * MINUTE - 5000);
    expect(await client.stateOf(token)).toBe('live');
    pass(5000);
    expect(await client.stateOf(token)).toBe('40101 expired');
  });

  it('stay over when timeoutMinutes was lower for a while', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kit-auth-'));
    const db: TypeOrmModuleOptions = {
      ...{ type: 'better-sqlite3', database: join(directory, 'a.sqlite') },
      ...{ autoLoadEntities: true, synchronize: true },
    };
    const days = 24 * 60;
    const pass = freeze();
    const long = await bootStateless({ timeoutMinutes: 30 * days }, db);
    const [kicked, loggedOut, kept] = [await long.newUser(), await long.newUser(), await long.newUser()];
    const tokens = await Promise.all([kicked, loggedOut, kept].map(({ username }) => long.tokenOf(username)));
    const short = await bootStateless({ timeoutMinutes: 1 }, db);
    expect(await Promise.all(tokens.map((token) => short.stateOf(token)))).toEqual(
      tokens.map(() => '40101 expired'),
    );
    await short.sessions.endAllOf(kicked.id);
    await short.running.app.get(AuthManager).logout(tokens[1] as string);
    pass(20 * days * MINUTE);
    await short.running.app.get(SessionCleaner, { strict: false }).clean();
    const again = await bootStateless({ timeoutMinutes: 30 * days }, db);
    expect(await Promise.all(tokens.map((token) => again.stateOf(token)))).toEqual([
      '40101 kicked',
      '40101 logged-out',
      'live',
    ]);
    pass(400 * days * MINUTE);
    await again.running.app.get(SessionCleaner, { strict: false }).clean();
    const rows = again.running.app.get(getRepositoryToken(AuthSession), { strict: false });
    expect(await rows.count()).toBe(0);
    rmSync(directory, { recursive: true });
  });

  it.each<KitAuthSessionOptions['store']>(['memory', new MemorySessionStore()])(
    'warn that %s forgets ends at a restart',
    async (store) => {
      const { running: one } = await bootStateless({ store });
      expect(one.logger.ours()).toContainEqual(
        expect.stringMatching(
          /^warn .*store 'memory' .*mode 'stateless' use store 'database' or a RedisSessionStore$/,
        ),
      );
    },
  );

  it('outlive a change of the secret while the old one is in the list', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kit-auth-'));
    const db: TypeOrmModuleOptions = {
      ...{ type: 'better-sqlite3', database: join(directory, 'a.sqlite') },
      ...{ autoLoadEntities: true, synchronize: true },
    };
    const bootWith = (secret: string | string[]) => bootStateless({ secret }, db);
    const next = `the next ${SECRET}`;
    const before = await bootWith(SECRET);
    const token = await tokenOf(before.running.port);
    const during = await bootWith([next, SECRET]);
    const newToken = await tokenOf(during.running.port);
    expect([await during.stateOf(token), await during.stateOf(newToken)]).toEqual(['live', 'live']);
    const after = await bootWith(next);
    expect([await after.stateOf(token), await after.stateOf(newToken)]).toEqual(['40101 signature', 'live']);
    expect(await before.stateOf(newToken)).toBe('40101 signature');
    rmSync(directory, { recursive: true });
  });
});

describe('a stateless implementation', () => {
  let one: Running;
  beforeAll(async () => {
    one = await start(SessionApp.with({ mode: 'stateless', secret: SECRET }));
  });
  afterAll(() => one.app.close());
  describeAuthProvider('session-token, stateless', { canInvalidate: true, sessions: 'ends all' }, () => ({
    provider: one.app.get(SessionAuthProvider, { strict: false }),
    user: {
      userId: 1,
      username: 'admin',
      nickname: 'admin',
      superAdmin: true,
      roles: ['SUPER_ADMIN'],
      permissions: [],
    },
  }));
});

describe('the options of sessions', () => {
  const failure = async (options: unknown) =>
    start(SessionApp.with(options as KitAuthSessionOptions)).then(
      ({ app }) => app.close(),
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

  it('refuse a store that cannot keep ends for stateless sessions', async () => {
    const store = Object.assign(new MemorySessionStore(), { keepEndOfAll: undefined });
    const error = await failure({ mode: 'stateless', secret: SECRET, store });
    expect((error as Error).message).toMatch(/store has no method keepEndOfAll/);
  });

  it('come by a class, and may be undefined', () => {
    class FromElsewhere implements KitAuthSessionOptionsFactory {
      async create() {
        return { store: 'memory' as const, idleMinutes: undefined };
      }
    }
    const { module } = KitAuthSessionModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(KitAuthSessionModule);
  });

  it('warn of what is not known', async () => {
    const client = await boot({ timeout: 5 } as KitAuthSessionOptions);
    expect(client.running.logger.ours()).toContainEqual(
      expect.stringMatching(/^warn .*timeout is not an option/),
    );
  });

  it('need the core', async () => {
    class Alone {}
    const error = await start({ module: Alone, imports: [database(), KitAuthSessionModule] }).catch(
      (it: unknown) => it,
    );
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toContain('KitAuthModule.forRoot()');
  });
});
