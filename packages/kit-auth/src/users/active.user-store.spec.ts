import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger, Module } from '@nestjs/common';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { loginUser, published, sharedTestApp } from 'test-support';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import type { AuthEvents } from '../contract/auth-events.js';
import type { KitAuthSettings } from '../contract/settings.js';
import type { NewUser, NewUsername } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, TooBusyException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import { ActiveUserStore } from './active.user-store.js';

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useValue: { idType: 'string', loadLoginUser: async () => undefined } },
  ],
})
class TextIdsModule {}

describe('the id of a user from a text', () => {
  const numbers = sharedTestApp();
  const texts = sharedTestApp({ core: KitAuthModule.forRoot({ users: TextIdsModule }) });
  const idFrom = (app: typeof numbers, text: string) => app.get(ActiveUserStore).idFrom(text);

  it.each(['1', '7', '9007199254740991'])('is a number: %j', (text) => {
    expect(idFrom(numbers, text)).toBe(Number(text));
  });

  it.each(['', '0', '-7', '7.5', '7e0', ' 7', '07', 'ada', '9007199254740992', '9'.repeat(30)])(
    'is no number: %j',
    (text) => {
      expect(idFrom(numbers, text)).toBeUndefined();
    },
  );

  it.each(['7', '07', 'usr_aB', 'a'.repeat(128)])('is a text: %j', (text) => {
    expect(idFrom(texts, text)).toBe(text);
  });

  it.each(['', 'a b', 'ä', 'a'.repeat(129)])('is no text: %j', (text) => {
    expect(idFrom(texts, text)).toBeUndefined();
  });
});

describe('a look-up that the user store refuses because the database is too slow', () => {
  const refusal = new TooBusyException(1);
  @Module({
    providers: [{ provide: AUTH_USER_STORE, useValue: { loadLoginUser: () => Promise.reject(refusal) } }],
  })
  class SlowModule {}
  const app = sharedTestApp({ core: KitAuthModule.forRoot({ users: SlowModule }) });

  it('is refused as it is, and is no error in the log', async () => {
    await expect(app.get(ActiveUserStore).loadLoginUser(1)).rejects.toBe(refusal);
    expect(app.logs.all()).not.toContain('failed');
  });
});

describe('a username that the store refuses to write', () => {
  const cause = new Error('unique index');
  const change = { transaction: undefined, note: async () => undefined };
  const update = { username: 'Ada', seenStamp: '' } as NewUsername;
  const account = { id: 7, username: 'ada', enabled: true, securityStamp: '' };
  const store = {
    findByUsername: async () => account,
    loadLoginUser: async () => undefined,
    createUser: () => Promise.reject(cause),
    changeUsername: () => Promise.reject(cause),
  };
  @Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })
  class RefusingModule {}
  const app = sharedTestApp({ core: KitAuthModule.forRoot({ users: RefusingModule }), database: false });

  it('is taken if another account has it', async () => {
    const taken = { code: 40900, cause };
    await expect(app.get(ActiveUserStore).changeUsername(8, update, change)).rejects.toMatchObject(taken);
    const creating = app.get(ActiveUserStore).createUser({ username: 'Ada' } as NewUser, change);
    await expect(creating).rejects.toMatchObject(taken);
  });

  it('is not taken by the account itself', async () => {
    await expect(app.get(ActiveUserStore).changeUsername(7, update, change)).rejects.toBe(cause);
  });
});

/** An `ActiveUserStore` over a hand-made store, and what it logs and reports. */
function over(methods: object, settings: object = {}) {
  class OwnStore {}
  const store = Object.assign(new OwnStore(), { loadLoginUser: async () => undefined, ...methods });
  const emitted: unknown[] = [];
  const ports = { only: () => store } as unknown as Ports;
  const users = new ActiveUserStore(
    ports,
    { emit: (event: unknown) => void emitted.push(event) } as unknown as AuthEvents,
    { enabled: true, login: { databaseTimeoutMs: 50 }, ...settings } as KitAuthSettings,
  );
  return { users, ports, emitted };
}

const LOOK_UPS = ['findByUsername', 'loadLoginUser', 'stampOf', 'noteLogin', 'listUsers'];
/** A call of each. */
const lookUpAll = (users: ActiveUserStore): (() => Promise<unknown>)[] => [
  () => users.findByUsername('ada'),
  () => users.loadLoginUser(7),
  () => users.stampOf(7),
  () => users.noteLogin(7, 's'),
  () => users.listUsers({} as never),
];

/** Contains itself. */
const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

describe('the user store of the application', () => {
  const log = jest.fn<(line: string) => void>();
  const lines = () => log.mock.calls.map(([line]) => line);
  const unavailable = { code: 50300 };
  const never = () => new Promise<never>(() => undefined);
  const account = { id: 7, username: 'ada', passwordHash: 'h', enabled: true, securityStamp: 's' };
  const change = { transaction: undefined, note: async () => undefined };

  const changeAll = (users: ActiveUserStore) =>
    Promise.all([
      users.changePassword(7, {} as never, change),
      users.changeUsername(7, {} as never, change),
      users.disableUser(7, change),
      users.enableUser(7, change),
    ]);

  beforeEach(() => {
    log.mockClear();
    Logger.overrideLogger({ log, error: log, warn: log, debug: log });
  });
  afterEach(() => Logger.overrideLogger(false));

  it('is required, and asked for once', () => {
    const asked: unknown[] = [];
    const store = { loadLoginUser: async () => undefined };
    const finding = (only: (...wanted: unknown[]) => unknown) =>
      new ActiveUserStore({ only } as unknown as Ports, {} as AuthEvents, {} as KitAuthSettings);
    const one = finding((...wanted) => (asked.push(wanted), store));
    expect(() => finding(() => undefined).get()).toThrow('No user store was found');
    expect([one.get(), one.get()]).toEqual([store, store]);
    expect(asked).toEqual([[AUTH_USER_STORE, 'AuthUserStore', ['loadLoginUser']]]);
  });

  it('has ids of a known type, unless kit.auth.enabled is false', () => {
    const start = (idType: string, settings: object = {}) => over({ idType }, settings).users.onModuleInit();
    expect(() => start('uuid')).toThrow("The idType of the user store OwnStore is 'uuid'.");
    expect(() => start('uuid', { enabled: false })).not.toThrow();
    for (const idType of ['number', 'string']) {
      expect(() => start(idType)).not.toThrow();
    }
  });

  it('is required to have the methods of a feature', () => {
    const { users } = over({ stampOf: async () => 's' });
    expect(() => users.require('x', 'stampOf')).not.toThrow();
    expect(() => users.require('x', 'stampOf', 'renewHash')).toThrow('the method renewHash, which');
    expect(() => users.require('x', 'stampOf', 'renewHash', 'enableUser')).toThrow(
      'x needs a user store with the method renewHash, enableUser, which OwnStore lacks.',
    );
  });

  it.each<[string, () => Promise<unknown>]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['does not answer', never],
  ])('is unavailable if it %s', async (_what, look) => {
    const { users } = over(Object.fromEntries(LOOK_UPS.map((name) => [name, look])));
    const refusals = await Promise.allSettled(lookUpAll(users).map((lookUp) => lookUp()));
    expect(refusals).toMatchObject(Array(5).fill({ reason: { code: 50300, retryAfter: 1 } }));
    const line = expect.stringMatching(/^\[auth\] the user store OwnStore failed: /);
    expect(lines()).toEqual(Array(5).fill(line));
  });

  it('says on the diagnostics channel what is looked up', async () => {
    const { users } = over({ noteLogin: async () => true });
    const heard = await published('tracing:kit-auth:store:start', () =>
      Promise.all(lookUpAll(users).map((lookUp) => lookUp())),
    );
    expect(heard).toMatchObject(LOOK_UPS.map((operation) => ({ store: 'users', operation })));
  });

  it('may say null for what it does not know', async () => {
    const unknown = async () => null;
    const { users } = over({
      ...Object.fromEntries(LOOK_UPS.map((name) => [name, unknown])),
      noteLogin: async () => true,
      grantsOf: unknown,
    });
    const answers = await Promise.all(lookUpAll(users).map((lookUp) => lookUp()));
    expect(answers).toEqual([undefined, undefined, undefined, true, []]);
    expect(await users.grantsOf(['a'])).toBeUndefined();
  });

  it('may know nothing', async () => {
    const { users } = over({});
    const answers = await Promise.all(lookUpAll(users).map((lookUp) => lookUp()));
    expect(answers).toEqual([undefined, undefined, undefined, true, []]);
    expect([await users.slowestHash(), await users.grantsOf(['a'])]).toEqual([undefined, undefined]);
    expect(await changeAll(users)).toEqual([false, false, false, false]);
    await expect(users.renewHash(7, 'a', 'b')).resolves.toBeUndefined();
  });

  it('passes answers on', async () => {
    const { users } = over({
      findByUsername: async (username: string) => ({ ...account, username }),
      stampOf: async (id: number) => `s${id}`,
      noteLogin: async (_id: number, stamp: string) => stamp === 's',
      changePassword: async () => true,
      changeUsername: async () => true,
      disableUser: async () => true,
      enableUser: async () => true,
      createUser: async () => 9,
      slowestHash: async () => 'slow',
      listUsers: async () => [{ id: 1 }],
      grantsOf: async (roles: string[]) => ({ superAdmin: true, permissions: roles }),
    });
    expect(await users.findByUsername('bob')).toMatchObject({ username: 'bob' });
    expect(await users.stampOf(7)).toBe('s7');
    expect([await users.noteLogin(7, 's'), await users.noteLogin(7, 'x')]).toEqual([true, false]);
    expect(await changeAll(users)).toEqual([true, true, true, true]);
    expect([await users.createUser({} as never, change), await users.slowestHash()]).toEqual([9, 'slow']);
    expect(await users.listUsers({} as never)).toEqual([{ id: 1 }]);
    expect(await users.grantsOf(['a'])).toEqual({ superAdmin: true, permissions: ['a'] });
    expect(await users.grantsOf([])).toEqual({ superAdmin: false, permissions: [] });
  });

  it.each([undefined, null, 1, 'true'])('must answer a change with true or false, not %p', async (answer) => {
    const { users } = over({ noteLogin: async () => answer, disableUser: async () => answer });
    await expect(users.noteLogin(7, 's')).rejects.toMatchObject(unavailable);
    await expect(users.disableUser(7, change)).rejects.toThrow(/OwnStore returned .*, not true or false/);
  });

  it('must say whether an account is enabled', async () => {
    for (const enabled of [undefined, null, 1, 'yes']) {
      const { users } = over({ findByUsername: async () => ({ ...account, enabled }) });
      await expect(users.findByUsername('ada')).rejects.toMatchObject(unavailable);
    }
    expect(lines()[0]).toContain(
      'OwnStore returned an account whose enabled is undefined, not true or false',
    );
  });

  it.each([
    ['an account with a hash', { findByUsername: async () => account }, true],
    [
      'an account without one',
      { findByUsername: async () => ({ ...account, passwordHash: undefined }) },
      false,
    ],
    ['an unknown account', { findByUsername: async () => undefined }, false],
    ['a store that knows no passwords', {}, false],
  ])('says whether a user has a password: %s', async (_what, store, expected) => {
    expect(await over(store).users.hasPassword({ username: 'ada' })).toBe(expected);
  });

  it('is told once of accounts without a hash', async () => {
    const { users } = over({ findByUsername: async () => ({ ...account, passwordHash: null }) });
    await users.findByUsername('ada');
    await users.findByUsername('ada');
    expect(lines()).toEqual([expect.stringContaining('an account without a passwordHash')]);
    log.mockClear();
    await over({ findByUsername: async () => account }).users.findByUsername('ada');
    expect(lines()).toEqual([]);
  });

  it('gives a copy of a user, whose lists a request may freeze', async () => {
    const stored = loginUser({ roles: ['a'], permissions: ['p'], mustChangePassword: true });
    const user = await over({ loadLoginUser: async () => stored }).users.loadLoginUser(7);
    expect(user).toEqual(stored);
    expect(user).not.toBe(stored);
    expect(user?.roles).not.toBe(stored.roles);
    expect(user?.permissions).not.toBe(stored.permissions);
    const other = await over({ loadLoginUser: async () => loginUser() }).users.loadLoginUser(7);
    expect(Object.keys(other!)).not.toContain('mustChangePassword');
    class Entity {
      get userId() {
        return 7;
      }
      get mustChangePassword() {
        return true;
      }
      get username() {
        return 'ada';
      }
      nickname = 'Ada';
      superAdmin = false;
      roles = [];
      permissions = [];
    }
    expect(await over({ loadLoginUser: async () => new Entity() }).users.loadLoginUser(7)).toEqual(
      loginUser({ nickname: 'Ada', mustChangePassword: true }),
    );
  });

  it.each<[object, string | RegExp]>([
    [{ username: null }, 'a user whose username is null, expected string'],
    [{ nickname: undefined }, 'a user whose nickname is undefined, expected string'],
    [{ superAdmin: 1 }, 'a user whose superAdmin is a number, expected boolean'],
    [{ roles: 'a' }, 'a user whose roles is a string, expected string[]'],
    [{ roles: ['a', 1] }, 'a user whose roles is a list, expected string[]'],
    [{ permissions: null }, 'a user whose permissions is null, expected string[]'],
    [{ data: 'a' }, 'a user whose data is a string, expected a plain object'],
    [{ data: new Map() }, 'a user whose data is an instance of Map, expected a plain object'],
    [
      { data: { a: [{ b: new Date(0) }] } },
      'a user whose data.a[0].b is an instance of Date, expected a JSON value',
    ],
    [{ data: { a: NaN } }, 'a user whose data.a is NaN, expected a JSON value'],
    [{ data: { a: [undefined] } }, 'a user whose data.a[0] is undefined, expected a JSON value'],
    [{ data: { a: () => 1 } }, 'a user whose data.a is a function, expected a JSON value'],
    [{ data: CYCLE }, /whose data(\.self){16} is nested too deeply/],
    [{ userId: '7' }, "a user whose id is of the type string: idType is 'number'"],
    [{ userId: 0 }, 'a user whose id is not a whole number above 0'],
    [{ userId: 1.5 }, 'a user whose id is not a whole number above 0'],
    [{ userId: 8 }, 'the user 8 when it was asked for 7'],
  ])('must give whole users, and the one that was asked for: %p', async (fields, problem) => {
    const { users } = over({ loadLoginUser: async () => ({ ...loginUser(), ...fields }) });
    await expect(users.loadLoginUser(7)).rejects.toMatchObject(unavailable);
    expect(lines()).toEqual([
      problem instanceof RegExp
        ? expect.stringMatching(problem)
        : expect.stringContaining(`[auth] OwnStore returned ${problem}`),
    ]);
  });

  it('gives a copy of the data of a user, which is frozen', async () => {
    const data = { tenant: 't1', quota: { limits: [1, null, true] }, none: undefined };
    const of = (stored: unknown) =>
      over({ loadLoginUser: async () => ({ ...loginUser(), data: stored }) }).users.loadLoginUser(7);
    const copy = (await of(data))?.data as typeof data;
    expect(copy).toStrictEqual({ tenant: 't1', quota: { limits: [1, null, true] } });
    expect([copy, copy.quota, copy.quota.limits].every(Object.isFrozen)).toBe(true);
    expect([data, data.quota, data.quota.limits].some(Object.isFrozen)).toBe(false);
    const proto = (await of(JSON.parse('{"__proto__":{"a":1}}')))?.data as Record<string, unknown>;
    expect([Object.keys(proto), proto['a']]).toEqual([['__proto__'], undefined]);
    expect((await of(null))?.data).toBeUndefined();
    expect((await of(Object.assign(Object.create(null), { a: 1 })))?.data).toEqual({ a: 1 });
  });

  describe('that says what request.user is', () => {
    const user = loginUser();
    const started = (requestUser?: unknown) => {
      const { users, ports } = over(requestUser === undefined ? {} : { requestUser });
      users.onModuleInit();
      return ports.loadRequestUser;
    };

    it('is asked with the user, and with its id', async () => {
      const asked: unknown[] = [];
      const entity = { id: 7 };
      expect(await started(async (...args: unknown[]) => (asked.push(...args), entity))?.(user)).toBe(entity);
      expect(asked).toEqual([7, user]);
    });

    it('is not asked where it has no such method', () => {
      expect(started()).toBeUndefined();
    });

    it.each([undefined, null])('may no longer have the user: %p', async (gone) => {
      await expect(started(async () => gone)?.(user)).rejects.toMatchObject({
        code: 40101,
        reason: 'disabled',
      });
    });

    it.each<[string, () => unknown, string]>([
      ['fails', () => Promise.reject(new Error('down')), 'the user store OwnStore failed: Error: down'],
      ['does not answer', never, 'the user store OwnStore failed: DeadlineExceeded'],
      ['gives no object', async () => 'ada', 'OwnStore returned a string from requestUser(), not an object'],
    ])('is unavailable if it %s', async (_what, answer, line) => {
      await expect(started(answer)?.(user)).rejects.toMatchObject(unavailable);
      expect(lines()).toEqual([expect.stringContaining(line)]);
    });

    it('is a look-up on the diagnostics channel', async () => {
      const load = started(async () => ({}));
      const heard = await published('tracing:kit-auth:store:start', () => load?.(user));
      expect(heard).toMatchObject([{ store: 'users', operation: 'requestUser' }]);
    });
  });

  it('may find a string id in another case, which is another user', async () => {
    const users = (userId: string) =>
      over({ idType: 'string', loadLoginUser: async () => ({ ...loginUser(), userId }) }).users;
    expect(await users('ADA').loadLoginUser('ada' as never)).toBeUndefined();
    expect(await users('ada').loadLoginUser('ada' as never)).toMatchObject({ userId: 'ada' });
    await expect(users('bob').loadLoginUser('ada' as never)).rejects.toMatchObject(unavailable);
    await expect(users('a b').loadLoginUser('a b' as never)).rejects.toMatchObject(unavailable);
  });

  it('must create users with ids that tokens can carry', async () => {
    const created = (id: unknown) =>
      over({ createUser: async () => id }).users.createUser({} as never, change);
    await expect(created(undefined)).rejects.toThrow(
      'OwnStore returned a user whose id is of the type undefined',
    );
    await expect(created('7')).rejects.toThrow('add readonly idType = ');
    const strings = over({ idType: 'string', createUser: async () => 7 }).users;
    await expect(strings.createUser({} as never, change)).rejects.toThrow('for example with String(row.id)');
  });

  it('shows the error of a write where the name is free, or cannot be looked up', async () => {
    const cause = new Error('broken');
    const createUser = () => Promise.reject(cause);
    const write = (look: () => Promise<unknown>, fail: () => Promise<never> = createUser) =>
      over({ createUser: fail, findByUsername: look }).users.createUser({ username: 'ada' } as never, change);
    await expect(write(async () => undefined)).rejects.toBe(cause);
    await expect(write(() => Promise.reject(new Error('down')))).rejects.toBe(cause);
    const refusal = new TooBusyException(1);
    const refuse = () => Promise.reject(refusal);
    await expect(write(async () => account, refuse)).rejects.toBe(refusal);
  });

  it('does not wait for slow hashes', async () => {
    const { users } = over({ slowestHash: never, renewHash: never });
    await expect(users.slowestHash()).rejects.toThrow('gave no answer in 50 ms');
    await expect(users.renewHash(7, 'a', 'b')).rejects.toThrow('gave no answer in 50 ms');
  });

  describe('changes accounts with their events', () => {
    const event = { type: 'password-changed' } as unknown as NotedEvent;
    const noted: unknown[] = [];
    const action = (keep: (event: NotedEvent) => Promise<unknown> = async () => undefined) => {
      noted.length = 0;
      return {
        run: (work: () => unknown) => work(),
        keep,
        note: (one: unknown) => void noted.push(one),
      } as unknown as AuthAction;
    };
    const work = async ({ note }: { note: (event: NotedEvent) => Promise<void> }) => {
      await note(event);
      return 'done';
    };

    it('in a transaction of the store, which may run the change again', async () => {
      const runs: number[] = [];
      const { users } = over({
        transaction: async (_action: unknown, run: (change: unknown) => Promise<unknown>) => {
          await run(change);
          return run(change);
        },
      });
      expect(await users.transaction(action(), async () => runs.push(1))).toBe(2);
    });

    it.each<[string, (action: unknown, run: () => Promise<unknown>) => Promise<unknown>]>([
      ['was not run', async () => 'done'],
      ['failed', (_action, run) => run().catch(() => 'done')],
    ])('in a transaction, which failed if the change %s', async (_what, transaction) => {
      const { users } = over({ transaction });
      const changing = users.transaction(action(), () => Promise.reject(new Error('x')));
      await expect(changing).rejects.toMatchObject(unavailable);
      expect(lines()[0]).toContain('[auth] transaction() of OwnStore failed');
    });

    it('in a transaction, which has to wait for the change', async () => {
      const { users } = over({ transaction: async (_action: unknown, run: () => unknown) => void run() });
      const later = () => new Promise((resolve) => setImmediate(resolve));
      const changing = users.transaction(action(), later);
      await expect(changing).rejects.toMatchObject(unavailable);
    });

    it('without one, and stores the events after the change', async () => {
      const { users, emitted } = over({});
      const kept = action(async (one) => ({ ...one, kept: true }));
      expect(await users.transaction(kept, work)).toBe('done');
      expect([emitted, noted]).toEqual([[{ ...event, kept: true }], []]);
    });

    it('without one, and says that an event was not stored although the change is made', async () => {
      const { users, emitted } = over({});
      const full = new AuthException(AuthErrorCode.CONFLICT);
      const keeping = action(() => Promise.reject(full));
      const answer = users.transaction(keeping, work);
      await expect(answer).rejects.toMatchObject({ code: 50300, retryAfter: 1, result: 'done', cause: full });
      expect([emitted, noted]).toEqual([[], [{ ...event, kept: false }]]);
    });

    it('and stores nothing if the change fails', async () => {
      const { users, emitted } = over({});
      const failing = users.transaction(
        action(async () => ({})),
        async (change) => {
          await change.note(event);
          throw new Error('x');
        },
      );
      await expect(failing).rejects.toThrow('x');
      expect(emitted).toEqual([]);
    });
  });
});
