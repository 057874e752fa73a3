import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  AuthErrorCode,
  AuthException,
  type AuthProvider,
  type AuthUserStore,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type StoredUser,
  type TokenTransport,
  type TransportExchange,
  type TransportRequest,
} from 'kit-auth';
import { MemorySessionStore } from 'kit-auth-session';
import { testUser } from './application/test-user.js';
import { describeAuthProvider } from './auth-provider.suite.js';
import { describeCredential } from './credential.suite.js';
import { describeSessionStore } from './session-store.suite.js';
import { describeTokenTransport } from './token-transport.suite.js';
import { describeUserStore } from './user-store.suite.js';
import type { OptionalUserStoreMethod } from './user-store.under-test.js';

/** Runs a suite as a test runner does. @returns the messages of the tests that fail */
async function failuresOf(define: () => void): Promise<string[]> {
  const { describe: outer, it: test } = globalThis as { describe?: unknown; it?: unknown };
  const bodies: (() => Promise<void>)[] = [];
  Object.assign(globalThis, {
    describe: (_name: string, body: () => void) => body(),
    it: (_name: string, body: () => Promise<void>) => bodies.push(body),
  });
  try {
    define();
  } finally {
    Object.assign(globalThis, { describe: outer, it: test });
  }
  const messages: string[] = [];
  for (const body of bodies) {
    await body().catch((error: unknown) => messages.push((error as Error).message));
  }
  return messages;
}

class Provider implements AuthProvider {
  readonly extensionName = 'memory';
  readonly keepsProof = true;
  readonly logins = new Map<string, ResolvedLogin>();

  async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    this.logins.set(token, { user, proof: { loginId: randomBytes(8).toString('hex'), ...proof } });
    return token;
  }

  async resolve(token: string): Promise<ResolvedLogin> {
    const login = this.logins.get(token);
    if (login === undefined || (login.proof.expiresAt ?? Infinity) <= Date.now() / 1000) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
    }
    return login;
  }

  async resolveToken(token: string): Promise<LoginUser> {
    return (await this.resolve(token)).user;
  }

  async invalidate(token: string): Promise<void> {
    this.logins.delete(token);
  }
}

describe('describeAuthProvider', () => {
  const failuresWith = (changes: Partial<AuthProvider>, traits: object = {}) =>
    failuresOf(() => {
      const provider = Object.assign(new Provider(), changes);
      const user = testUser();
      const all = { canInvalidate: true, keepsProof: true, ...traits };
      describeAuthProvider('changed', all, () => ({ provider, user }));
    });

  it('finds nothing wrong with a provider that keeps the contract', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it.each<[string, Partial<AuthProvider>, string]>([
    [
      'invalidate() does nothing',
      { invalidate: async () => undefined },
      "expected a token after invalidate() to be refused with an AuthException 40101 (TOKEN_INVALID) and the reason 'logged-out', but it was accepted",
    ],
    [
      'invalidate() rejects',
      { invalidate: () => Promise.reject(new Error('unknown token')) },
      'expected invalidate() of "" to be accepted, but it threw Error: unknown token',
    ],
    [
      'resolve() throws other errors',
      { resolve: () => Promise.reject(new TypeError('no such token')) },
      'expected the token "" to be refused with an AuthException 40101 (TOKEN_INVALID), but it threw TypeError: no such token',
    ],
    [
      'resolveToken() returns nobody',
      { resolveToken: async () => undefined as never },
      'expected the token "" to be refused with an AuthException 40101 (TOKEN_INVALID), but it was accepted',
    ],
  ])('says what is wrong where %s', async (_what, changes, message) => {
    expect(await failuresWith(changes)).toContain(message);
  });

  it('says which trait is wrong', async () => {
    expect(await failuresWith({}, { sessions: 'lists' })).toContain(
      "expected the provider to have sessions, as the trait sessions: 'lists' says, but it has none",
    );
  });
});

describe('describeSessionStore', () => {
  const failuresWith = (store: MemorySessionStore) =>
    failuresOf(() => describeSessionStore('changed', () => store));

  it('finds nothing wrong with a store that keeps the contract', async () => {
    expect(await failuresWith(new MemorySessionStore())).toEqual([]);
  });

  it('says what is wrong with a store that ends nothing', async () => {
    const store = Object.assign(new MemorySessionStore(), { end: () => true });
    expect(await failuresWith(store)).toEqual(
      expect.arrayContaining([
        'expected the result of end() for an ended session to be false, but it is true',
        'expected the number of calls that return true, of twelve calls of end() at once, to be 1, but it is 12',
      ]),
    );
  });

  it('says what is wrong with a store without limits, also in random sequences of calls', async () => {
    const store = new MemorySessionStore();
    const create = store.create.bind(store);
    const messages = await failuresWith(
      Object.assign(store, { create: (account: never) => create(account) }),
    );
    expect(messages).toContain(
      'expected the number of live sessions with max: 3 and twenty calls of create() at once to be 3, but it is 20',
    );
    expect(messages.join()).toMatch(
      /Property failed [^]*expected at most 3 live sessions, as the limit says, but there are 4/,
    );
  });
});

class Users implements AuthUserStore {
  readonly rows: StoredUser[] = [];

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    return this.rows.find((row) => row.username === username);
  }

  async loadLoginUser(id: unknown): Promise<LoginUser | undefined> {
    const row = this.rows.find((row) => row.id === id && row.enabled);
    return row && testUser({ userId: row.id, username: row.username });
  }

  insert(fields: Pick<StoredUser, 'username' | 'passwordHash' | 'enabled'>): StoredUser['id'] {
    const row = { ...fields, id: (this.rows.length + 1) as never, securityStamp: 'stamp' };
    this.rows.push(row);
    return row.id;
  }
}

describe('describeUserStore', () => {
  const failuresWith = (changes: object = {}, methods: OptionalUserStoreMethod[] = []) =>
    failuresOf(() => {
      const store = Object.assign(new Users(), changes);
      describeUserStore('changed', { methods }, () => ({
        store,
        createUser: (account) => store.insert(account),
      }));
    });

  it('finds nothing wrong with a store that keeps the contract', async () => {
    expect(await failuresWith()).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    [
      'nobody is found',
      { findByUsername: async () => undefined },
      /^expected findByUsername\(\) to find the account Suite-\d+, which createUser\(\) of the suite has just created, but it returned undefined$/,
    ],
    [
      'everybody is found',
      { findByUsername: async () => ({ id: 1 }) },
      /^expected what findByUsername\(""\) returns to be undefined, but it is \{ id: 1 \}$/,
    ],
    [
      'roles are missing',
      {
        loadLoginUser: async (userId: number) => ({
          ...testUser({ userId: userId }),
          roles: undefined,
        }),
      },
      /^expected a LoginUser whose roles is a list of strings, and not undefined$/,
    ],
    [
      'a disabled user is loaded',
      { loadLoginUser: async (userId: never) => testUser({ userId }) },
      /^expected what loadLoginUser\(\) returns for a disabled account to be undefined, but it is \{ userId: \d+, /,
    ],
  ])('says what is wrong where %s', async (_what, changes, message) => {
    expect(await failuresWith(changes)).toContainEqual(expect.stringMatching(message));
  });

  it('looks at data and requestUser() of a store that has them', async () => {
    const users = new Users();
    const loadLoginUser = async (id: unknown) => {
      const user = await users.loadLoginUser(id);
      return user && { ...user, data: { tenant: 't1' } };
    };
    const requestUser = async (id: unknown) => users.rows.find((row) => row.id === id) ?? null;
    const store = { rows: users.rows, loadLoginUser, requestUser };
    expect(await failuresWith(store, ['requestUser'])).toEqual([]);
    expect(await failuresWith({ requestUser: async () => undefined }, ['requestUser'])).toEqual([
      'expected requestUser() to return an object for a user, and not undefined',
    ]);
    expect(await failuresWith({ requestUser: async () => ({}) }, ['requestUser'])).toEqual([
      'expected what requestUser() returns for an unknown id to be undefined, but it is {}',
    ]);
    const since = {
      loadLoginUser: async (userId: never) => testUser({ userId, data: { since: new Date() } }),
    };
    expect(await failuresWith(since)).toContain(
      'expected a LoginUser with data of JSON values, and not one whose data.since is an instance of Date, expected a JSON value',
    );
  });

  it('looks at the names of a store that tells them', async () => {
    const users = new Users();
    const store = {
      rows: users.rows,
      usernameOf: async (id: unknown) => users.rows.find((row) => row.id === id)?.username,
      isUsernameTaken: async (name: string, exceptId: unknown) =>
        users.rows.some((row) => row.username === name && row.id !== exceptId),
    };
    expect(await failuresWith(store, ['usernameOf', 'isUsernameTaken'])).toEqual([]);
    const usernameOf = async (id: unknown) =>
      users.rows.find((row) => row.id === id && row.enabled)?.username;
    expect(await failuresWith({ ...store, usernameOf }, ['usernameOf'])).toEqual([
      expect.stringContaining('what usernameOf() returns for a disabled account'),
    ]);
    const isUsernameTaken = async (name: string) => store.isUsernameTaken(name, undefined);
    expect(await failuresWith({ ...store, isUsernameTaken }, ['isUsernameTaken'])).toEqual([
      expect.stringContaining('for the username of the given account'),
    ]);
  });

  it('says which methods are missing', async () => {
    expect(await failuresWith({}, ['stampOf'])).toContain(
      "expected the optional methods of the store, as the suite was told, to be [ 'stampOf' ], but it is []",
    );
  });
});

class Cookies implements TokenTransport {
  read({ headers }: TransportRequest): string | undefined {
    return /(?:^|; )token=([^;]+)/.exec(headers.cookie ?? '')?.[1];
  }

  write({ token, ...body }: { token: string }, exchange: TransportExchange): object {
    exchange.appendHeader('Set-Cookie', `token=${token}`);
    return body;
  }

  clear(exchange: TransportExchange): void {
    exchange.appendHeader('Set-Cookie', 'token=; Max-Age=0');
  }
}

describe('describeTokenTransport', () => {
  const failuresWith = (changes: object = {}) =>
    failuresOf(() => {
      const transport = Object.assign(new Cookies(), changes);
      describeTokenTransport('changed', {}, () => ({ transport }));
    });

  it('finds nothing wrong with a transport that keeps the contract', async () => {
    expect(await failuresWith()).toEqual([]);
  });

  it.each([
    [
      'the body keeps the token',
      {
        write: (answer: { token: string }, to: TransportExchange) => (
          new Cookies().write(answer, to),
          answer
        ),
      },
      'expected write() to remove the token from the body that it returns, but the body contains it',
    ],
    [
      'other cookies are lost',
      { clear: (to: TransportExchange) => to.setHeader('Set-Cookie', 'token=; Max-Age=0') },
      'expected write() and clear() to leave a Set-Cookie of the application alone, but it is gone: add yours with appendHeader(), because setHeader() replaces all of them',
    ],
    [
      'junk is decoded',
      {
        read: (request: TransportRequest) =>
          decodeURIComponent(new Cookies().read(request) ?? '') || undefined,
      },
      'expected a GET with the header cookie: "token=%" to be accepted, or refused with an AuthException, but it threw URIError: URI malformed',
    ],
  ])('says what is wrong where %s', async (_what, changes, message) => {
    expect(await failuresWith(changes)).toContain(message);
  });
});

it('describeCredential says what is wrong with a prefix, a length and a refusal', async () => {
  const provider = new Provider();
  const { userId } = testUser();
  const newToken = async () => {
    const token = `k_${randomBytes(6).toString('hex')}`;
    provider.logins.set(token, { user: testUser({ userId }), proof: { factors: {} } });
    return token;
  };
  const credential = {
    prefix: 'k_',
    scheme: 'key',
    resolve: (token: string) => provider.resolve(token),
    authorize: () => Promise.reject(new AuthException(AuthErrorCode.TOKEN_INVALID)),
  };
  expect(await failuresOf(() => describeCredential('x', () => ({ credential, newToken, userId })))).toEqual([
    'expected prefix to be 3 to 16 letters, digits, "_", "." or "-", but it is \'k_\'',
    'expected a token to have 16 characters or more behind its prefix, so that nobody can guess it, but it has 12',
    'expected the code of the AuthException with which authorize() refuses a route with the requirements [] to be 40304 or 40300, but it is 40101',
  ]);
});
