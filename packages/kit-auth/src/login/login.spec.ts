import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Get,
  type HttpException,
  Logger,
  Module,
  NotFoundException,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import {
  AUTH_CREDENTIAL,
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  AuthErrorCode,
  AuthException,
  type AuthProvider,
  type AuthUserStore,
  KitAuthModule,
  LOGIN_STEP,
  type LoginProof,
  type LoginResult,
  type LoginStep,
  PASSWORD_HASHER,
  type PasswordHasher,
  type Principal,
  Public,
  TOKEN_TRANSPORT,
  type TokenTransport,
  type TransportExchange,
} from 'kit-auth';
import { loginUser, nodeResponse, published, sharedTestApp } from 'test-support';
import { LoginConfirmation } from '../fresh/login.confirmation.js';
import { type KitAuthContext, openRequestContext } from '../context/kit-auth.context.js';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import { MAX_USERNAME_LENGTH } from '../contract/settings.js';
import { AuthManager } from '../manager/auth.manager.js';
import type { CurrentLogout } from '../manager/current.logout.js';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { Logout } from '../manager/logout.js';
import { PasswordCheck, PasswordLogin } from '../passwords/password.check.js';
import type { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import type { Ports } from '../ports/ports.js';
import { RequestExchanges } from '../ports/request.exchanges.js';
import type { TokenResolver } from '../ports/token.resolver.js';
import type { ActiveUserStore } from '../users/active.user-store.js';
import { KitAuthController } from '../endpoints/controller.js';
import { LoginFlow, type TokenIssuer } from './login.flow.js';
import { LoginSteps } from './login.steps.js';

const user = loginUser();
/** What happened, in order. */
let log: string[] = [];
/** The names that the user store was asked for. */
let lookups: string[] = [];
/** The proofs of the live tokens. */
const tokens = new Map<string, LoginProof>();
let next: {
  isUnchanged: boolean;
  /** The answer of `around` of the step `second`, instead of that of the check. */
  ownLogin?: VerifiedLogin;
  isUnknown?: boolean;
  proof?: LoginProof;
  writeError?: Error;
  isOutdated?: boolean;
  renewError?: Error;
  succeededError?: Error;
  openedError?: Error;
  isStampless?: boolean;
  token?: string;
};

const store: Partial<AuthUserStore> = {
  findByUsername: async (username) => {
    lookups.push(username);
    return username === 'nobody'
      ? undefined
      : {
          id: 7,
          username,
          ...(username !== 'passwordless' && { passwordHash: 'right' }),
          enabled: username !== 'bob',
          securityStamp: 's1',
        };
  },
  loadLoginUser: async () => (next.isUnknown ? undefined : user),
  stampOf: async () => (next.isStampless ? undefined : 's1'),
  noteLogin: async (_userId, stamp) => next.isUnchanged && stamp === 's1',
  renewHash: async (id, from, to) => {
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`renew ${id} ${from} ${to}`);
    if (next.renewError !== undefined) {
      throw next.renewError;
    }
  },
};
const provider: Partial<AuthProvider> = {
  extensionName: 'stub',
  keepsProof: true,
  lifetimeSeconds: 100,
  issueToken: async (_user, proof) => {
    const token = next.token ?? `token-${tokens.size}`;
    tokens.set(token, proof as LoginProof);
    return token;
  },
  resolveToken: () => user,
  resolve: (token) => ({ user, proof: tokens.get(token) as LoginProof }),
  invalidate: async (token) => {
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`invalidate ${token}`);
  },
};
const hasher: PasswordHasher = {
  hash: async (password) => `new ${password}`,
  verify: async (password, hash) => password === hash,
  isOutdated: () => next.isOutdated === true,
  dummy: async () => void log.push('dummy'),
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
async function opened(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  log.push('opened');
  if (next.openedError !== undefined) {
    throw next.openedError;
  }
}
const step = (name: string, order?: number): LoginStep => ({
  name,
  ...(order !== undefined && { order }),
  around: async (_attempt, check) => {
    log.push(`${name} begins`);
    const login = (name === 'second' && next.ownLogin) || (await check());
    log.push(`${name} ends`);
    return login;
  },
  afterFirstFactor: async () => {
    log.push(`${name} after`);
    return name === 'first' ? next.proof : undefined;
  },
  succeeded: async () => {
    log.push(`${name} succeeded`);
    if (next.succeededError !== undefined) {
      throw next.succeededError;
    }
  },
  ...(name === 'last' && { opened, fields: ['code', 'toString'] }),
});

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useValue: store },
    { provide: AUTH_PROVIDER, useValue: provider },
    { provide: PASSWORD_HASHER, useValue: hasher },
    { provide: TOKEN_TRANSPORT, useValue: transport },
    { provide: LOGIN_STEP, useValue: [step('last'), step('second', 7), step('first', 5)] },
    {
      provide: AUTH_CREDENTIAL,
      useValue: { scheme: 'key', prefix: 'key_', resolve: () => ({ user, proof: { factors: {} } }) },
    },
  ],
})
class PortsModule {}

const nowInSeconds = () => Math.floor(Date.now() / 1000);
const request = { method: 'POST', url: '/', headers: {}, rawHeaders: [] };

/** What was noted of the attempt. */
let noted: NotedEvent[] = [];
const attempt = (fields: Partial<LoginAttempt> = {}): LoginAttempt => ({
  username: 'ada',
  isPossible: true,
  first: 'password',
  fields: {},
  client: undefined,
  action: {
    run: (work: () => unknown) => work(),
    note: (event: NotedEvent) => void noted.push(event),
  } as Partial<AuthAction> as AuthAction,
  ...fields,
});

const tooMany = () => new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });

describe('the login', () => {
  const app = sharedTestApp({
    core: KitAuthModule.forRoot({ users: PortsModule, login: { throttle: false } }),
    provider: false,
    database: false,
  });
  beforeEach(() => {
    log = [];
    lookups = [];
    noted = [];
    tokens.clear();
    next = { isUnchanged: true };
  });

  describe('LoginFlow', () => {
    const logIn = (password = 'right', username = 'ada') => app.get(PasswordLogin).logIn(username, password);

    it('runs the steps in ascending order, the lowest outermost, and those without an order last', async () => {
      await logIn();
      expect(log.join()).toBe(
        'first begins,second begins,last begins,first after,second after,last after,' +
          'last ends,second ends,first ends,first succeeded,second succeeded,last succeeded,opened',
      );
    });

    it('runs the steps after the first factor, even if one around it answers without the check', async () => {
      next.ownLogin = { user, stamp: 's1', proof: { factors: { password: 1 } } };
      await logIn('of another system');
      expect(log.join()).toBe(
        'first begins,second begins,second ends,first ends,first after,second after,last after,' +
          'first succeeded,second succeeded,last succeeded,opened',
      );
    });

    it('issues a token for the proof that a step returned', async () => {
      next.proof = { factors: { password: 1, totp: 2 } };
      const { token } = await logIn();
      expect(tokens.get(token)).toEqual(next.proof);
    });

    it('answers with the token and a summary of the user', async () => {
      const { endsAt, ...answer } = await logIn();
      expect(answer).toEqual({
        token: 'token-0',
        user: { userId: 7, username: 'ada', nickname: 'ada', superAdmin: false },
      });
      expect(typeof endsAt).toBe('number');
    });

    it('runs the steps that a login has not passed yet, and publishes the event', async () => {
      const login = { user, stamp: 's1', proof: { factors: { totp: 3 } }, passed: ['first', 'last'] };
      const { token } = await app.get(LoginFlow).resume(login, attempt());
      expect(log.join()).toBe('second after,first succeeded,second succeeded,last succeeded,opened');
      expect(tokens.get(token)).toEqual({ factors: { totp: 3 } });
      expect(noted).toEqual([{ type: 'login', subjectId: 7, subject: 'ada' }]);
    });

    it('says in an event that the user changed meanwhile', async () => {
      const login = { user, stamp: 'old', proof: { factors: {} } };
      await expect(app.get(LoginFlow).resume(login, attempt())).rejects.toMatchObject({ code: 40110 });
      expect(noted).toEqual([
        { type: 'login-failed', subjectId: 7, subject: 'ada', success: false, detail: 'changed' },
      ]);
    });

    it('issues no token for an id that tokens cannot carry, and none that a credential would resolve', async () => {
      const complete = (userId: unknown) =>
        app
          .get(LoginFlow)
          .resume(
            { user: { ...user, userId: userId as number }, stamp: 's1', proof: { factors: {} } },
            attempt(),
          );
      await expect(complete('7')).rejects.toMatchObject({ code: 50300 });
      expect(tokens.size).toBe(0);
      next.token = 'key_1';
      app.logs.lines.length = 0;
      await expect(complete(7)).rejects.toMatchObject({ code: 50300 });
      expect(log.at(-1)).toBe('invalidate key_1');
      expect(app.logs.all()).toContain('A credential resolves tokens that begin like those of stub');
    });

    it('issues no token if a step fails after the success', async () => {
      next.succeededError = new Error('disk');
      await expect(logIn()).rejects.toMatchObject({ code: 50300 });
      expect(tokens.size).toBe(0);
    });

    it('identifies a user who has shown another factor than a password, and says so in the event', async () => {
      const factors = { card: 5 };
      const { token } = await app.get(LoginFlow).logInAs(7, factors, attempt({ first: 'card' }));
      expect(tokens.get(token)).toEqual({ factors });
      expect(noted).toEqual([{ type: 'login', subjectId: 7, subject: 'ada', detail: 'card' }]);
    });

    it('identifies a user whose store has no stamps', async () => {
      const { stampOf } = store;
      delete store.stampOf;
      const verified = app.get(LoginFlow).identify(7, {}, attempt());
      await expect(verified.finally(() => Object.assign(store, { stampOf }))).resolves.toMatchObject({
        user,
        stamp: '',
      });
    });

    it.each([
      ['is not there', { isUnknown: true }],
      ['has no stamp', { isStampless: true }],
    ])('refuses a user who %s, and publishes that', async (_what, state) => {
      next = { ...next, ...state };
      const outcomes = await published('kit-auth:login', async () => {
        await expect(app.get(LoginFlow).logInAs(7, {}, attempt())).rejects.toMatchObject({ code: 40111 });
      });
      expect(outcomes).toMatchObject([{ outcome: 'disabled' }]);
      expect(noted).toEqual([
        { type: 'login-failed', subjectId: 7, success: false, detail: 'USER_DISABLED' },
      ]);
    });

    it('tells the steps of the token, before anybody else has it', async () => {
      await logIn();
      expect(log.at(-1)).toBe('opened');
      next.openedError = new Error('disk');
      await expect(logIn()).rejects.toMatchObject({ code: 50300 });
      expect(log.at(-1)).toBe('invalidate token-1');
    });

    it('ends the login that it has opened if it cannot issue the token', async () => {
      const failure = new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
      const ended: unknown[] = [];
      const opened = { factors: {}, loginId: 'l' };
      const logins = {
        open: async () => ({ proof: opened }),
        end: async (login: unknown) => {
          await new Promise((resolve) => setImmediate(resolve));
          ended.push(login);
        },
      };
      const flow = new LoginFlow(
        {} as ActiveProvider,
        app.get(LoginSteps),
        { issue: () => Promise.reject(failure) } as unknown as TokenIssuer,
        logins as unknown as ActiveLogins,
        {} as ActiveUserStore,
        {} as AuthEvents,
        {} as KitAuthContext,
      );
      const login = { user, stamp: 's1', proof: { factors: {} } };
      await expect(flow.resume(login, attempt())).rejects.toBe(failure);
      expect(ended).toEqual([{ user, proof: opened }]);
      expect(noted).toEqual([]);
    });

    it('begins with the members of the body that a step asks for', () => {
      const begun = (body?: unknown) => app.get(LoginFlow).begin('card', { body });
      expect(begun({ code: 1, other: 2 })).toMatchObject({ first: 'card', isPossible: true });
      expect(begun({ code: 1, other: 2 }).fields).toEqual({ code: 1 });
      for (const body of [{ other: 2 }, 'code', null, undefined]) {
        expect(begun(body).fields).toEqual({});
      }
    });

    it('begins nothing while kit.auth.enabled is false', async () => {
      const get = () => {
        throw new Error('disabled');
      };
      type Parts = ConstructorParameters<typeof LoginFlow>;
      expect(() => new LoginFlow(...([{ get }] as unknown as Parts)).begin('password')).toThrow('disabled');
    });

    it('is published with its outcome', async () => {
      const outcomes = await published<{ outcome: string }>('kit-auth:login', async () => {
        await logIn();
        await expect(logIn('wrong')).rejects.toThrow();
        next.isUnchanged = false;
        await expect(logIn()).rejects.toThrow();
      });
      const wrong = 'wrong-credentials';
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['succeeded', wrong, wrong]);
    });

    it.each([
      ['a null character', 'a\0b'],
      ['half a character', '\ud800'],
      ['1,000 characters', 'a'.repeat(1000)],
    ])('looks up no name with %s', async (_what, username) => {
      await expect(logIn('right', username)).rejects.toMatchObject({ code: 40110 });
      expect(lookups).toEqual([]);
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

  describe('PasswordCheck', () => {
    const logIn = (password = 'right', fields: Partial<LoginAttempt> = {}) =>
      app.get(PasswordCheck).logIn(attempt(fields), password);
    const failed = (detail: string, subjectId: number | null, subject: string | null) => [
      { type: 'login-failed', subjectId, subject, success: false, detail },
    ];

    afterEach(() => {
      jest.restoreAllMocks();
    });

    it.each([
      ['ada', 'x', true],
      ['a'.repeat(MAX_USERNAME_LENGTH), 'x', true],
      ['a'.repeat(256), 'x', false],
      ['a\0', 'x', false],
      ['\ud800', 'x', false],
      ['ada', '\ud800', false],
    ])('knows attempts that cannot succeed: %j with %j', (username, password, isPossible) => {
      expect(app.get(PasswordCheck).begin(username, password)).toEqual({
        username,
        isPossible,
        first: 'password',
        fields: {},
        action: expect.anything(),
        client: undefined,
      });
    });

    it('gives a login with the stamp of the account, and the time of the password in seconds', async () => {
      jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_999);
      const proof = { factors: { password: 1_800_000_000 } };
      expect(await logIn()).toEqual({ user, stamp: 's1', proof, passed: ['first', 'second', 'last'] });
    });

    it('counts a comparison elsewhere than at login, and runs the steps around it and after it', async () => {
      const verified = await app
        .get(PasswordCheck)
        .verify(attempt(), 'right', (compare) => (log.push('counted'), compare()));
      expect(verified).toMatchObject({ user, stamp: 's1' });
      expect(log.slice(2).join()).toBe(
        'last begins,counted,last ends,second ends,first ends,first succeeded,second succeeded,last succeeded',
      );
      expect(await app.get(PasswordCheck).verify(attempt(), 'right')).toMatchObject({ user });
      await expect(app.get(PasswordCheck).verify(attempt(), 'wrong')).rejects.toMatchObject({ code: 40110 });
    });

    it('takes as long for names that no account has, and does not repeat them in the event', async () => {
      await expect(logIn('right', { username: 'nobody' })).rejects.toMatchObject({ code: 40110 });
      expect(log).toContain('dummy');
      expect(noted).toEqual(failed('LOGIN_FAILED', null, null));
    });

    it('names the account of a wrong password, and of one that is disabled', async () => {
      await expect(logIn('wrong')).rejects.toMatchObject({ code: 40110 });
      expect(noted).toEqual(failed('LOGIN_FAILED', 7, 'ada'));
      noted = [];
      await expect(logIn('right', { username: 'bob' })).rejects.toMatchObject({ code: 40111 });
      expect(noted).toEqual(failed('USER_DISABLED', 7, 'bob'));
      noted = [];
      next.isUnknown = true;
      await expect(logIn()).rejects.toMatchObject({ code: 40111 });
      expect(noted).toEqual(failed('USER_DISABLED', 7, 'ada'));
    });

    it('compares nothing for an account without a password', async () => {
      await expect(logIn('right', { username: 'passwordless' })).rejects.toMatchObject({ code: 40110 });
      expect(log).toContain('dummy');
    });

    it('compares nothing for a client who has left', async () => {
      const client = { address: '192.0.2.1', userAgent: undefined, hasLeft: () => true };
      await expect(logIn('right', { client })).rejects.toMatchObject({ code: 40110 });
      expect(noted).toEqual([]);
    });

    describe('renews a hash that is outdated', () => {
      const renewals = () => log.filter((line) => line.startsWith('renew'));

      it('after a right password', async () => {
        await logIn();
        expect(renewals()).toEqual([]);
        next.isOutdated = true;
        await expect(logIn('wrong')).rejects.toThrow();
        await expect(logIn('right', { username: 'bob' })).rejects.toThrow();
        expect(renewals()).toEqual([]);
        await logIn();
        expect(renewals()).toEqual(['renew 7 right new right']);
      });

      it('or warns, and logs in all the same', async () => {
        app.logs.lines.length = 0;
        next = { isUnchanged: true, isOutdated: true, renewError: new TypeError('read-only') };
        expect(await logIn()).toMatchObject({ user });
        expect(app.logs.ours()).toEqual([
          expect.stringMatching(
            /^warn \[auth\] the password hash of user 7 was not renewed: TypeError: read-only\nTypeError\n +at /,
          ),
        ]);
      });
    });
  });

  describe('LoginSteps', () => {
    const stepsOf = (...steps: object[]) => new LoginSteps({ steps } as unknown as Ports);
    const login: VerifiedLogin = { user, stamp: 's1', proof: { factors: {} } };
    class Named {
      async afterFirstFactor() {
        return undefined;
      }
    }

    it('have names of their own, if they run after the password', () => {
      const start = (...steps: object[]) => stepsOf(...steps).onApplicationBootstrap();
      const step = (name: string, method = 'afterFirstFactor') => ({ name, [method]: async () => undefined });
      expect(() => start(step('a'), step('b'))).not.toThrow();
      expect(() => start(step('a', 'succeeded'), step('a'))).not.toThrow();
      expect(() => start(step('a'), step('a'))).toThrow('There is more than one LoginStep with the name a');
      expect(() => start(new Named(), new Named())).toThrow('with the name Named');
    });

    it('run after the password with what the steps before them have added', async () => {
      const seen: unknown[] = [];
      const adding = (name: string, proof?: LoginProof) => ({
        name,
        afterFirstFactor: async ({ passed, proof: before }: VerifiedLogin) => {
          seen.push([passed, before]);
          return proof;
        },
      });
      const first = adding('a', { factors: { totp: 1 } });
      const steps = stepsOf(first, { succeeded: 1 }, adding('b'), new Named());
      expect(await steps.afterFirstFactor({ ...login, passed: ['x'] }, attempt())).toEqual({
        ...login,
        proof: { factors: { totp: 1 } },
        passed: ['x', 'a', 'b', 'Named'],
      });
      expect(seen).toEqual([
        [['x', 'a'], { factors: {} }],
        [['x', 'a', 'b'], { factors: { totp: 1 } }],
      ]);
      const past = { ...login, passed: ['Named', 'a', 'b'] };
      expect(await steps.afterFirstFactor(past, attempt())).toEqual(past);
      expect(seen).toHaveLength(2);
    });

    it('are informed of a success one after the other, and the first failure ends it', async () => {
      const told: string[] = [];
      const later = (name: string) => ({
        succeeded: async () => {
          await Promise.resolve();
          told.push(name);
        },
      });
      const failing = { succeeded: () => Promise.reject(tooMany()) };
      await stepsOf(later('a'), {}, later('b')).succeeded(login, attempt());
      expect(told).toEqual(['a', 'b']);
      await expect(stepsOf(failing, later('c')).succeeded(login, attempt())).rejects.toThrow();
      expect(told).toEqual(['a', 'b']);
    });

    it('choose the turn of a check, and are not blamed for its failure', async () => {
      const error = jest.fn<(line: string) => void>();
      const turn = { group: 'g', isKnown: true, hasLeft: () => false };
      const steps = stepsOf(
        { around: (_attempt: unknown, check: (turn?: object) => unknown) => check(turn) },
        { succeeded: async () => undefined },
        { around: (_attempt: unknown, check: (turn?: object) => unknown) => check() },
      );
      const turns: unknown[] = [];
      expect(await steps.around(attempt(), async (one) => (turns.push(one), login))).toBe(login);
      expect(turns).toEqual([turn]);
      Logger.overrideLogger({ error, log: error, warn: error });
      try {
        const broken = steps.around(attempt(), () => Promise.reject(new Error('disk')));
        await expect(broken).rejects.toMatchObject({ code: 50300 });
      } finally {
        Logger.overrideLogger(app.logs);
      }
      expect(error.mock.calls.map(([line]) => line)).toEqual([
        '[auth] the check of a password failed: Error: disk',
      ]);
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

    /** Exchanges with a transport, over an adapter of a platform. */
    const exchangesOver = (members: object | undefined, kept = false) => {
      const httpAdapter = {
        setHeader: (_response: unknown, name: string, value: string) =>
          void log.push(`set ${name}: ${value}`),
        appendHeader: (_response: unknown, name: string, value: string) =>
          void log.push(`append ${name}: ${value}`),
      };
      return new TransportExchanges(
        { transport: members } as Ports,
        new RequestExchanges({ httpAdapter } as unknown as HttpAdapterHost),
        {
          end: async (token: string) => {
            await new Promise((resolve) => setImmediate(resolve));
            log.push(`logout ${token}`);
          },
        } as unknown as Logout,
        { areKept: () => kept, endOfToken: () => ({ endsAt: 7 }) } as unknown as ActiveLogins,
      );
    };

    it('sends the answer as it is where there is no transport', async () => {
      const none = exchangesOver(undefined);
      expect(await none.write(answer, request, {})).toEqual({ token: 'token-0', user });
      expect(none.readRefreshToken(request)).toBeUndefined();
      expect(() => none.clear({}, {})).not.toThrow();
    });

    it.each([
      ['the end of the token', false, 7],
      ['unknown if logins outlive their tokens', true, undefined],
    ])('takes for the end of a login that does not say it: %s', async (_what, kept, endsAt) => {
      const result: LoginResult = { token: 'token-0', user };
      const telling = {
        write: (_answer: object, exchange: TransportExchange) => ({ endsAt: exchange.endsAt }),
      };
      expect(await exchangesOver(telling, kept).write(result, request, {})).toEqual({ endsAt });
    });

    it('reads refresh tokens where the transport carries them', () => {
      expect(exchangesOver({}).readRefreshToken(request)).toBeUndefined();
      const carrying = { readRefreshToken: ({ method }: { method: string }) => `refresh by ${method}` };
      expect(exchangesOver(carrying).readRefreshToken(request)).toBe('refresh by POST');
    });

    it('needs an HTTP request', async () => {
      const exchanges = exchangesOver(transport);
      expect(() => exchanges.clear({}, {})).toThrow('there is no HTTP request');
      await expect(exchanges.write(answer, {}, {})).rejects.toThrow('there is no HTTP request');
      expect(log).toEqual(['logout token-0']);
    });

    describe('gives the headers of the answer to the transport', () => {
      const setting: Partial<TokenTransport> = {
        clear: (exchange) => {
          exchange.setHeader('X-Method', exchange.request.method);
          exchange.appendHeader('Set-Cookie', 'token=; Max-Age=0');
        },
      };

      it.each([[{}], [undefined], [null], ['raw']])('on Express, whose response is %p', (express) => {
        exchangesOver(setting).clear(request, express);
        expect(log).toEqual(['set X-Method: POST', 'append Set-Cookie: token=; Max-Age=0']);
      });

      it.each<[string, string | string[] | undefined, string[]]>([
        ['none', undefined, []],
        ['one', 'a=1', ['a=1']],
        ['several', ['a=1', 'b=2'], ['a=1', 'b=2']],
      ])('on Fastify, and keeps values that are there: %s', (_what, before, kept) => {
        const headers = new Map(before === undefined ? [] : [['Set-Cookie', before]]);
        const reply = {
          raw: {},
          getHeader: (name: string) => headers.get(name),
          removeHeader: (name: string) => headers.delete(name),
          // As Fastify: a value of this header is added to those that are there.
          header: (name: string, value: string[]) =>
            void headers.set(name, [headers.get(name) ?? [], value].flat()),
        };
        exchangesOver(setting).clear(request, reply);
        expect(headers.get('Set-Cookie')).toEqual([...kept, 'token=; Max-Age=0']);
      });
    });
  });

  describe('AuthManager', () => {
    interface Parts {
      ports?: object;
      logIn?: () => Promise<unknown>;
      resolve?: (token: string) => unknown;
      kept?: (reason: unknown) => Promise<void>;
    }
    /** A manager over these parts. */
    const managerOf = ({ ports = {}, logIn, resolve, kept }: Parts) => {
      const all = {
        requireProvider: () => ({
          invalidate: async (token: string, reason?: string) =>
            void log.push(`invalidate ${token} ${reason}`),
        }),
        credentialOf: (token: string) => (token.startsWith('key_') ? {} : undefined),
        ...ports,
      } as unknown as Ports;
      const resolver = { resolve } as unknown as TokenResolver;
      const logins = {
        areKept: () => kept !== undefined,
        end: async (_login: unknown, reason: unknown) => kept?.(reason),
      } as unknown as ActiveLogins;
      return new AuthManager(
        all,
        { logIn } as unknown as PasswordLogin,
        app.get(LoginFlow),
        app.get(TransportExchanges),
        resolver,
        {
          require: (...wanted: string[]) => void log.push(`require ${wanted.join()}`),
        } as unknown as ActiveUserStore,
        new Logout(all, resolver, logins),
        { end: async () => void log.push('logout of the request') } as unknown as CurrentLogout,
      );
    };
    const off = {
      requireProvider: () => {
        throw new Error('disabled');
      },
    };

    it('logs in, and leaves the end of the login to transports', async () => {
      const manager = managerOf({ logIn: async () => ({ token: 't', user, endsAt: 9, refreshToken: 'r' }) });
      expect(await manager.login('ada', 'x')).toEqual({ token: 't', user, refreshToken: 'r' });
      expect(log).toEqual(['require AuthManager.login(),findByUsername']);
    });

    it('sets the headers of a refusal on the answer of the current request', async () => {
      const answer = nodeResponse();
      const refusal = tooMany();
      const manager = managerOf({ logIn: () => Promise.reject(refusal) });
      let login: Promise<unknown> = Promise.resolve();
      openRequestContext({ headers: {}, socket: {} }, answer, () => {
        login = manager.login('ada', 'x');
      });
      await expect(login).rejects.toBe(refusal);
      expect(answer.headers['Retry-After']).toBe('7');
    });

    it('answers a login endpoint outside of requests with the token', async () => {
      const manager = managerOf({ logIn: async () => ({ token: 't', user, endsAt: 9 }) });
      expect(await manager.loginWithPassword('ada', 'x')).toEqual({ token: 't', user });
      expect(log).toEqual(['require AuthManager.loginWithPassword(),findByUsername']);
    });

    it('refuses names and passwords of other types', async () => {
      const manager = managerOf({ logIn: () => Promise.reject(new Error('called')) });
      for (const [name, password] of [
        [undefined, 'x'],
        ['ada', 7],
      ] as unknown as [string, string][]) {
        await expect(manager.login(name, password)).rejects.toMatchObject({ code: 40000 });
        await expect(manager.loginWithPassword(name, password)).rejects.toMatchObject({ code: 40000 });
      }
    });

    it('logs out the request where no token is given', async () => {
      await managerOf({}).logout();
      expect(log).toEqual(['logout of the request']);
    });

    it('fails with 50300 for any other error', async () => {
      const manager = managerOf({ logIn: () => Promise.reject(new Error('disk')) });
      await expect(manager.login('ada', 'x')).rejects.toMatchObject({ code: 50300 });
    });

    it('does nothing while kit.auth.enabled is false', async () => {
      const called = () => {
        throw new Error('called');
      };
      const manager = managerOf({ ports: off, logIn: called, resolve: called });
      await expect(manager.login('ada', 'x')).rejects.toThrow('disabled');
      await expect(manager.getLoginUser('t')).rejects.toThrow('disabled');
      await expect(manager.logout('t')).rejects.toThrow('disabled');
    });

    it('resolves tokens of logins, and those of credentials only where the caller accepts them', async () => {
      const manager = managerOf({ resolve: async () => ({ user, scheme: 'stub' }) });
      expect(await manager.getLoginUser('t')).toBe(user);
      await expect(manager.getLoginUser('key_1')).rejects.toMatchObject({ code: 40304 });
      expect(await manager.getLoginUser('key_1', { credentials: true })).toBe(user);
    });

    it('publishes its decisions', async () => {
      const over = new AuthException(AuthErrorCode.TOKEN_INVALID);
      const resolve = (token: string) => (token === 't' ? { user, scheme: 'stub' } : Promise.reject(over));
      const decisions = await published('kit-auth:decision', async () => {
        await managerOf({ resolve }).getLoginUser('t');
        await expect(managerOf({ resolve }).getLoginUser('old')).rejects.toBe(over);
      });
      expect(decisions).toEqual([
        { via: 'manager', outcome: 'admitted', scheme: 'stub' },
        { via: 'manager', outcome: 'refused', code: 40101 },
      ]);
    });

    it('has not logged out before the token is invalid', async () => {
      const down = new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
      const ports = { requireProvider: () => ({ invalidate: () => Promise.reject(down) }) };
      await expect(managerOf({ ports }).logout('t')).rejects.toBe(down);
    });

    it('logs out by invalidating the token', async () => {
      await managerOf({}).logout('t');
      await managerOf({}).logout('t', 'kicked');
      expect(log).toEqual(['invalidate t undefined', 'invalidate t kicked']);
    });

    it('ends the login too, where logins are kept', async () => {
      const kept = async (reason: unknown) => {
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`end ${String(reason)}`);
      };
      await managerOf({ kept, resolve: async () => ({ user }) }).logout('t', 'kicked');
      expect(log).toEqual(['end kicked', 'invalidate t kicked']);
    });

    it('invalidates a token whose login has ended', async () => {
      const ended = () => Promise.reject(new AuthException(AuthErrorCode.TOKEN_INVALID));
      await managerOf({ kept: ended, resolve: ended }).logout('t');
      expect(log).toEqual(['invalidate t undefined']);
    });

    it.each([
      ['the implementation fails', new AuthException(AuthErrorCode.AUTH_UNAVAILABLE)],
      ['of any other error', new Error('disk')],
    ])('does not log out if %s', async (_why, error) => {
      const fail = () => Promise.reject(error);
      await expect(managerOf({ kept: fail, resolve: fail }).logout('t')).rejects.toBe(error);
      expect(log).toEqual([]);
    });
  });

  describe('KitAuthController', () => {
    @KitAuthController('things')
    class ThingsController {
      @Get('open') @Public() open() {
        return { isOpen: true };
      }

      @Get('broken') @Public() broken() {
        throw new TypeError('x is not a function');
      }

      @Get('missing') @Public() missing() {
        throw new NotFoundException('no such thing');
      }

      @Get('busy') @Public() busy() {
        throw tooMany();
      }
    }
    /** Sends the body of an exception, and none of its headers. */
    @Catch()
    class CatchAll implements ExceptionFilter<HttpException> {
      catch(error: HttpException, host: ArgumentsHost): void {
        const answer = host
          .switchToHttp()
          .getResponse<{ status(code: number): { json(body: unknown): void } }>();
        answer.status(error.getStatus()).json(error.getResponse());
      }
    }
    const things = sharedTestApp({
      core: KitAuthModule.forRoot({ users: PortsModule, login: { throttle: false } }),
      provider: false,
      database: false,
      controllers: [ThingsController],
      configure: (nest) => nest.useGlobalFilters(new CatchAll()),
    });
    const get = (name: string) => things.call(undefined, 'GET', `things/${name}`);

    beforeEach(() => Logger.overrideLogger(things.logs));

    it('has a path of its own, whatever the version of the application is', () => {
      @KitAuthController()
      class Root {}
      const metadata = (key: string) =>
        [Root, ThingsController].map((type) => Reflect.getMetadata(key, type));
      expect(metadata('path')).toEqual(['v1/api/auth', 'v1/api/auth/things']);
      expect(metadata('__version__')).toEqual([VERSION_NEUTRAL, VERSION_NEUTRAL]);
    });

    it('answers 50300 for an error, and logs it with the handler', async () => {
      things.logs.lines.length = 0;
      const { status, json, headers } = await get('broken');
      expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, '1']);
      expect(things.logs.all()).toContain(
        '[auth] ThingsController.broken failed: TypeError: x is not a function',
      );
    });

    it('passes exceptions of HTTP on, with the headers of a refusal', async () => {
      expect(await get('missing')).toMatchObject({ status: 404, json: { message: 'no such thing' } });
      const { status, headers } = await get('busy');
      expect([status, headers['retry-after']]).toEqual([429, '7']);
    });

    it('has answers that no cache of the application stores', () => {
      const keyOf = (name: string): unknown =>
        Reflect.getMetadata(
          'cache_module:cache_key',
          Reflect.get(ThingsController.prototype, name) as object,
        );
      const keys = ['open', 'broken'].map((name) => (keyOf(name) as () => unknown)());
      expect(keys).toEqual([undefined, undefined]);
      expect(keyOf('constructor')).toBeUndefined();
    });
  });

  describe('LoginConfirmation', () => {
    const former = {
      user,
      proof: { factors: { password: 1, '__proto__ ': 2 } },
      scheme: 'stub',
      token: 'old',
    };
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
});
