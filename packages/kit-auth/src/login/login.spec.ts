import { beforeEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthProvider,
  type AuthUserStore,
  KitAuthModule,
  LOGIN_STEP,
  type LoginProof,
  type LoginStep,
  PASSWORD_HASHER,
  type PasswordHasher,
  type Principal,
  TOKEN_TRANSPORT,
  type TokenTransport,
} from 'kit-auth';
import { loginUser, sharedTestApp } from 'test-support';
import { AuthEvents } from '../contract/auth-events.js';
import { LoginConfirmation } from '../account/login.confirmation.js';
import { LoginFlow } from './login.flow.js';
import { TransportExchanges } from './transport-exchanges.js';

const user = loginUser();
/** What happened, in order. */
let log: string[] = [];
/** The proofs of the live tokens. */
const tokens = new Map<string, LoginProof>();
let next: { isUnchanged: boolean; proof?: LoginProof; writeError?: Error };

const store: Partial<AuthUserStore> = {
  findByUsername: async (username) => ({
    id: 7,
    username,
    passwordHash: 'right',
    enabled: username !== 'bob',
    securityStamp: 's1',
  }),
  loadLoginUser: async () => user,
  noteLogin: async (_userId, stamp) => next.isUnchanged && stamp === 's1',
};
const provider: Partial<AuthProvider> = {
  extensionName: 'stub',
  keepsProof: true,
  lifetimeSeconds: 100,
  issueToken: async (_user, proof) => {
    const token = `token-${tokens.size}`;
    tokens.set(token, proof as LoginProof);
    return token;
  },
  resolveToken: () => user,
  resolve: (token) => ({ user, proof: tokens.get(token) as LoginProof }),
  invalidate: async (token) => void log.push(`invalidate ${token}`),
};
const hasher: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
  isOutdated: () => false,
  dummy: async () => undefined,
};
const transport: Partial<TokenTransport> = {
  read: () => undefined,
  clear: () => undefined,
  write: async ({ token }, { endsAt }) => {
    if (next.writeError !== undefined) {
      throw next.writeError;
    }
    return { cookie: token, endsAt };
  },
};
const step = (name: string, order?: number): LoginStep => ({
  name,
  ...(order !== undefined && { order }),
  around: async (_attempt, check) => {
    log.push(`${name} begins`);
    const login = await check();
    log.push(`${name} ends`);
    return login;
  },
  afterPassword: async () => {
    log.push(`${name} after`);
    return name === 'first' ? next.proof : undefined;
  },
  succeeded: async () => void log.push(`${name} succeeded`),
});

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useValue: store },
    { provide: AUTH_PROVIDER, useValue: provider },
    { provide: PASSWORD_HASHER, useValue: hasher },
    { provide: TOKEN_TRANSPORT, useValue: transport },
    { provide: LOGIN_STEP, useValue: [step('last'), step('second', 7), step('first', 5)] },
  ],
})
class Ports {}

const app = sharedTestApp({
  core: KitAuthModule.forRoot({ users: Ports, login: { throttle: false } }),
  provider: false,
  database: false,
});
const nowInSeconds = () => Math.floor(Date.now() / 1000);
const request = { method: 'POST', url: '/', headers: {}, rawHeaders: [] };

beforeEach(() => {
  log = [];
  tokens.clear();
  next = { isUnchanged: true };
});

describe('LoginFlow', () => {
  const logIn = (password = 'right', username = 'ada') => app.get(LoginFlow).logIn(username, password);

  it('runs the steps in ascending order, the lowest outermost, and those without an order last', async () => {
    await logIn();
    expect(log).toEqual([
      'first begins',
      'second begins',
      'last begins',
      'first after',
      'second after',
      'last after',
      'last ends',
      'second ends',
      'first ends',
      'first succeeded',
      'second succeeded',
      'last succeeded',
    ]);
  });

  it('skips steps that a login has passed', async () => {
    const action = app.get(AuthEvents).begin();
    const login = { user, stamp: 's1', proof: { factors: {} }, passed: ['first', 'last'] };
    await app
      .get(LoginFlow)
      .complete(login, { username: 'ada', isPossible: true, action, client: undefined });
    expect(log.filter((line) => line.endsWith('after'))).toEqual(['second after']);
  });

  it('issues a token for the proof that a step returned', async () => {
    next.proof = { factors: { password: 1, totp: 2 } };
    const { token } = await logIn();
    expect(tokens.get(token)).toEqual(next.proof);
  });

  it('refuses a wrong password and a disabled account, and issues no token', async () => {
    await expect(logIn('wrong')).rejects.toMatchObject({ code: 40110 });
    await expect(logIn('right', 'bob')).rejects.toMatchObject({ code: 40111 });
    expect(tokens.size).toBe(0);
  });

  it.each([
    ['a null character', 'a\0b'],
    ['half a character', '\ud800'],
    ['1,000 characters', 'a'.repeat(1000)],
  ])('looks up no name with %s', async (_what, username) => {
    await expect(logIn('right', username)).rejects.toMatchObject({ code: 40110 });
  });

  it('invalidates the token if the user changed meanwhile', async () => {
    next.isUnchanged = false;
    await expect(logIn()).rejects.toMatchObject({ code: 40110 });
    expect(log.at(-1)).toBe('invalidate token-0');
  });

  it('reports the earlier of the end of the token and the end of the login', async () => {
    const lifetime = nowInSeconds() + 100;
    const { endsAt } = await logIn();
    expect(endsAt).toBeGreaterThanOrEqual(lifetime);
    expect(endsAt).toBeLessThan(lifetime + 60);
    next.proof = { factors: {}, expiresAt: lifetime - 50 };
    expect(await logIn()).toMatchObject({ endsAt: lifetime - 50 });
    next.proof = { factors: {}, expiresAt: lifetime + 10_000 };
    expect((await logIn()).endsAt).toBeLessThan(lifetime + 60);
  });
});

describe('TransportExchanges', () => {
  const answer = { token: 'token-0', user, endsAt: 99 };
  const write = () => app.get(TransportExchanges).write(answer, request, {});

  it('passes the answer and the end of the login to the transport', async () => {
    expect(await write()).toEqual({ cookie: 'token-0', endsAt: 99 });
    expect(log).toEqual([]);
  });

  it('logs out if the transport fails', async () => {
    next.writeError = new Error('no cookie');
    await expect(write()).rejects.toMatchObject({ code: 50300 });
    expect(log).toEqual(['invalidate token-0']);
  });
});

describe('LoginConfirmation', () => {
  const former = { user, proof: { factors: { password: 1, '__proto__ ': 2 } }, scheme: 'stub', token: 'old' };
  const confirm = (userId = 7) =>
    app
      .get(LoginConfirmation)
      .confirm(
        former,
        { user: { ...user, userId }, stamp: 's1', proof: { factors: { totp: 3 } } },
        { action: app.get(AuthEvents).begin(), client: undefined },
      );

  beforeEach(() => {
    tokens.set('old', former.proof);
  });

  it('issues a token with the valid factors of both, and invalidates the former token', async () => {
    const { token } = await confirm();
    expect(tokens.get(token)).toEqual({ factors: { password: 1, totp: 3 } });
    expect(log).toEqual(['invalidate old']);
  });

  it('leaves the former token alone if the user is another one, or was changed', async () => {
    await expect(confirm(8)).rejects.toMatchObject({ code: 40110 });
    next.isUnchanged = false;
    await expect(confirm()).rejects.toMatchObject({ code: 40110 });
    expect(log).toEqual([]);
    expect([...tokens.keys()]).toEqual(['old']);
  });

  it('issues nothing if the user has logged out meanwhile', async () => {
    tokens.delete('old');
    await expect(confirm()).rejects.toMatchObject({ code: 40101 });
    expect(log).toEqual(['invalidate token-0']);
  });

  it('confirms logins only, and not other credentials', () => {
    const requireLogin = (principal: Principal) => app.get(LoginConfirmation).require(principal);
    expect(() => requireLogin(former)).not.toThrow();
    expect(() => requireLogin({ ...former, scheme: 'api-key' })).toThrow(
      expect.objectContaining({ code: 40300 }),
    );
  });
});
