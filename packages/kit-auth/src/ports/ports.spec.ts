import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import {
  AUTH_CREDENTIAL,
  AUTH_FACTOR,
  type AuthCredential,
  AUTH_EVENT_SINK,
  AUTH_LOGINS,
  AUTH_MESSAGES,
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  AuthErrorCode,
  AuthException,
  LOGIN_END_LISTENER,
  LOGIN_STEP,
  PASSWORD_HASHER,
  TOKEN_TRANSPORT,
} from 'kit-auth';
import { editDistance } from './port.check.js';
import { Ports } from './ports.js';

type Provided = readonly [token: unknown, instance: unknown, more?: object];

class AppModule {}
Logger.overrideLogger(false);

/** The ports of an application whose module provides these. */
function ports(provided: readonly Provided[], settings: object = {}): Ports {
  const host = { name: 'AppModule', metatype: AppModule, token: 'app' };
  const wrappers = provided.map(([token, instance, more]) => ({
    token,
    instance,
    host,
    isDependencyTreeStatic: () => true,
    ...more,
  }));
  const discovery = { getProviders: () => wrappers } as unknown as DiscoveryService;
  return new Ports(discovery, { enabled: true, extensionTimeoutMs: 50, tokenPrefix: 'Bearer ', ...settings });
}

/** The same, after start-up. */
function started(...provided: readonly Provided[]): Ports {
  const all = ports(provided);
  all.onModuleInit();
  return all;
}

/** The same, with an implementation unless there is one. */
const startedBeside = (...provided: readonly Provided[]) =>
  started(...(provided.some(([token]) => token === AUTH_PROVIDER) ? [] : [provider()]), ...provided);

const nothing = async () => undefined;
const IMPLEMENTATION = {
  extensionName: 'stub',
  issueToken: async () => 'token',
  resolveToken: () => ({}),
  invalidate: nothing,
};
const provider = (members: object = {}): Provided => [AUTH_PROVIDER, { ...IMPLEMENTATION, ...members }];
const SESSIONS = { listOf: async () => [], currentId: () => 'id', end: nothing, endAllOf: nothing };
const LOGINS = { ...SESSIONS, open: async () => ({}), check: () => undefined };
const FACTOR = { names: ['pager'], confirms: ['pager'], second: 'elsewhere', has: () => [] };
const credential = (prefix: string, scheme = prefix): Provided => [
  AUTH_CREDENTIAL,
  { prefix, scheme, resolve: async () => ({}) },
];
const step = (name: string, order?: number): Provided => [LOGIN_STEP, { name, order, succeeded: nothing }];

describe('the provider', () => {
  it('is guarded under its own name', async () => {
    const { provider: found } = started(provider({ issueToken: () => Promise.reject(new Error('x')) }));
    expect(found?.extensionName).toBe('stub');
    await expect(found?.issueToken({} as never)).rejects.toMatchObject({ code: 50300 });
  });

  const isRefused = 'Object (of AppModule) does not implement AuthProvider';
  const needs = 'it needs a non-empty extensionName, the methods';
  it.each<[message: string, ...provided: Provided[]]>([
    ['No authentication implementation was detected'],
    ['exist: stub (of AppModule), other (of AppModule).', provider(), provider({ extensionName: 'other' })],
    [isRefused, [AUTH_PROVIDER, undefined]],
    [isRefused, [AUTH_PROVIDER, null]],
    [needs, [...provider(), { isDependencyTreeStatic: () => false }] as never],
    [needs, provider({ extensionName: undefined })],
    [needs, provider({ extensionName: '' })],
    [needs, provider({ issueToken: undefined })],
    [needs, provider({ resolveToken: 1 })],
    [needs, provider({ invalidate: null })],
    ['resolve if keepsProof is true', provider({ keepsProof: true })],
    ['replacetoken, which AuthProvider does not have', provider({ replacetoken: nothing })],
    ['isIssuedFor is a boolean, not a method', provider({ isIssuedFor: true })],
  ])('stops start-up: %s, %j', (message, ...provided) => {
    const all = ports(provided);
    expect(() => all.onModuleInit()).toThrow(message);
    expect(() => all.requireProvider()).toThrow(message);
  });

  it('needs resolve only where it keeps proof', () => {
    expect(() => started(provider({ keepsProof: true, resolve: () => ({}) }))).not.toThrow();
    expect(() => started(provider({ keepsProof: false }))).not.toThrow();
  });

  it('is none while kit.auth.enabled is false', () => {
    const off = ports([provider(), credential('key_')], { enabled: false });
    off.onModuleInit();
    expect([off.provider, off.credentialOf('key_1')]).toEqual([undefined, undefined]);
    expect([off.canRequireEnrolment, off.idType]).toEqual([false, 'number']);
    expect(() => off.requireProvider()).toThrow('while kit.auth.enabled is false');
  });

  it('has guarded sessions, the same each time', async () => {
    const all = started(
      provider({ sessions: { ...SESSIONS, listOf: () => Promise.reject(new Error('x')) } }),
    );
    expect(all.sessions()).toBe(all.sessions());
    expect(all.sessions()?.currentId()).toBe('id');
    await expect(all.sessions()?.listOf(1)).rejects.toMatchObject({ code: 50300 });
    expect(started(provider()).sessions()).toBeUndefined();
  });

  it('is found once, also where the ports are read before start-up', () => {
    const all = ports([provider()]).filled();
    const { provider: found } = all;
    all.onModuleInit();
    expect(all.provider).toBe(found);
  });

  describe('is named', () => {
    const line = jest.fn<(line: string) => void>();
    const lines = () => line.mock.calls.map(([text]) => text);

    beforeEach(() => {
      line.mockClear();
      Logger.overrideLogger({ log: line, error: line, warn: line, debug: line });
    });
    afterEach(() => Logger.overrideLogger(false));

    it('in the log of the start-up', () => {
      started(provider());
      expect(lines()).toEqual(['[auth] using authentication implementation: stub']);
    });

    it('in failures of its sessions', async () => {
      const listOf = () => Promise.reject(new Error('x'));
      const sessions = started(provider({ sessions: { ...SESSIONS, listOf } })).sessions();
      await expect(sessions?.listOf(1)).rejects.toThrow();
      expect(lines().at(-1)).toBe('[auth] listOf() of stub (of AppModule) failed: Error: x');
    });
  });
});

describe('what a contribution returns', () => {
  const withProof = { keepsProof: true, resolve: nothing };
  const HASHER = { hash: nothing, verify: nothing, isOutdated: nothing, dummy: nothing };
  const TRANSPORT = { read: nothing, write: nothing, clear: nothing };
  const refuse = async () => undefined;
  /** The member of the ports that has what a module contributes to the token. */
  const contributed = (token: unknown, members: object): Record<string, (...args: unknown[]) => unknown> => {
    const all = started(
      provider(token === AUTH_PROVIDER ? members : token === AUTH_LOGINS ? withProof : {}),
      ...(token === AUTH_PROVIDER ? [] : [[token, members] as const]),
    );
    const found = new Map<unknown, unknown>([
      [AUTH_PROVIDER, all.provider],
      [AUTH_LOGINS, all.logins],
      [AUTH_CREDENTIAL, all.credentials[0]],
      [AUTH_FACTOR, all.factors[0]],
      [LOGIN_STEP, all.steps[0]],
      [TOKEN_TRANSPORT, all.transport],
      [PASSWORD_HASHER, all.hasher],
    ]);
    return found.get(token) as Record<string, (...args: unknown[]) => unknown>;
  };
  const CREDENTIAL = { prefix: 'key_', scheme: 'key', resolve: nothing };

  it.each<[unknown, string, object, unknown]>([
    [AUTH_PROVIDER, 'issueToken', IMPLEMENTATION, ''],
    [AUTH_PROVIDER, 'replaceToken', IMPLEMENTATION, ''],
    [AUTH_LOGINS, 'listOf', LOGINS, {}],
    [AUTH_LOGINS, 'liveIdOf', LOGINS, 7],
    [AUTH_LOGINS, 'open', LOGINS, {}],
    [AUTH_LOGINS, 'check', LOGINS, true],
    [AUTH_LOGINS, 'renew', LOGINS, { answer: {} }],
    [AUTH_CREDENTIAL, 'authorize', CREDENTIAL, false],
    [LOGIN_STEP, 'around', {}, { user: {} }],
    [LOGIN_STEP, 'around', {}, { proof: {} }],
    [LOGIN_STEP, 'afterFirstFactor', {}, {}],
    [AUTH_FACTOR, 'canLogIn', FACTOR, 'pager'],
    [AUTH_FACTOR, 'verify', FACTOR, 'Right'],
    [AUTH_FACTOR, 'verify', FACTOR, true],
    [AUTH_FACTOR, 'hint', FACTOR, 'pager'],
    [TOKEN_TRANSPORT, 'write', TRANSPORT, undefined],
    [PASSWORD_HASHER, 'hash', HASHER, undefined],
    [PASSWORD_HASHER, 'verify', HASHER, 'yes'],
    [PASSWORD_HASHER, 'verify', HASHER, { valid: false }],
    [PASSWORD_HASHER, 'verify', HASHER, 1],
    [PASSWORD_HASHER, 'verify', HASHER, undefined],
  ])('is checked when it is there: %p.%s', async (token, method, members, wrong) => {
    const found = contributed(token, { ...members, [method]: async () => wrong });
    await expect(found[method]?.()).rejects.toMatchObject({ code: 50300 });
  });

  it.each<[unknown, string, object, unknown]>([
    [AUTH_PROVIDER, 'issueToken', IMPLEMENTATION, 'token'],
    [AUTH_LOGINS, 'liveIdOf', LOGINS, undefined],
    [AUTH_LOGINS, 'open', LOGINS, { proof: {} }],
    [AUTH_LOGINS, 'renew', LOGINS, { proof: {} }],
    [LOGIN_STEP, 'around', {}, { user: {}, proof: {} }],
    [LOGIN_STEP, 'afterFirstFactor', {}, { factors: {} }],
    [LOGIN_STEP, 'afterFirstFactor', {}, undefined],
    [AUTH_FACTOR, 'has', { ...FACTOR, confirms: [] }, ['pager']],
    [AUTH_FACTOR, 'verify', FACTOR, 'wrong'],
    [TOKEN_TRANSPORT, 'write', TRANSPORT, {}],
    [PASSWORD_HASHER, 'verify', HASHER, false],
  ])('is passed on if it is right: %p.%s', async (token, method, members, right) => {
    const found = contributed(token, { ...members, [method]: async () => right });
    await expect(found[method]?.()).resolves.toBe(right);
  });

  it('may take as long as the check that a step runs', async () => {
    jest.useFakeTimers();
    try {
      const around = (_attempt: unknown, check: () => Promise<object>) => check();
      const step = contributed(LOGIN_STEP, { around, timeoutMs: 5 });
      const login = { user: {}, proof: {} };
      const check = () => new Promise((resolve) => setTimeout(resolve, 1000, login));
      const answer = expect(step['around']?.({}, check)).resolves.toBe(login);
      await jest.advanceTimersByTimeAsync(1000);
      await answer;
    } finally {
      jest.useRealTimers();
    }
  });

  it.each<[unknown, string, object, unknown]>([
    [AUTH_PROVIDER, 'isIssuedFor', IMPLEMENTATION, Promise.resolve(true)],
    [AUTH_LOGINS, 'currentId', LOGINS, Promise.resolve('id')],
    [AUTH_FACTOR, 'isRequiredFor', FACTOR, Promise.resolve(true)],
    [TOKEN_TRANSPORT, 'read', TRANSPORT, Promise.resolve('token')],
    [TOKEN_TRANSPORT, 'readRefreshToken', TRANSPORT, Promise.resolve('token')],
    [TOKEN_TRANSPORT, 'admit', TRANSPORT, Promise.resolve()],
    [PASSWORD_HASHER, 'isOutdated', HASHER, Promise.resolve(true)],
  ])('is checked at once, so that a promise is wrong: %p.%s', (token, method, members, answer) => {
    const found = contributed(token, { ...members, [method]: () => answer });
    expect(() => found[method]?.()).toThrow(expect.objectContaining({ code: 50300 }));
  });

  it.each<[unknown, string, object]>([
    [AUTH_PROVIDER, 'userChanged', IMPLEMENTATION],
    [AUTH_CREDENTIAL, 'allows', CREDENTIAL],
    [AUTH_CREDENTIAL, 'admitted', CREDENTIAL],
    [TOKEN_TRANSPORT, 'clear', TRANSPORT],
    [PASSWORD_HASHER, 'expect', HASHER],
  ])('is not waited for: %p.%s', (token, method, members) => {
    const answer = refuse();
    expect(contributed(token, { ...members, [method]: () => answer })[method]?.()).toBe(answer);
  });

  it.each<[unknown, string, object]>([
    [AUTH_PROVIDER, 'lifetimeSeconds', IMPLEMENTATION],
    [AUTH_PROVIDER, 'placeholders', IMPLEMENTATION],
    [AUTH_LOGINS, 'endsInTransaction', LOGINS],
    [AUTH_LOGINS, 'inProcess', LOGINS],
    [LOGIN_STEP, 'name', { succeeded: nothing }],
    [TOKEN_TRANSPORT, 'cookie', TRANSPORT],
    [PASSWORD_HASHER, 'maxBytes', HASHER],
  ])('has its properties: %p.%s', (token, property, members) => {
    expect(contributed(token, { ...members, [property]: 7 })[property]).toBe(7);
  });

  it.each<[unknown, string, object]>([
    [AUTH_PROVIDER, 'resolveToken', IMPLEMENTATION],
    [AUTH_PROVIDER, 'resolve', IMPLEMENTATION],
    [AUTH_CREDENTIAL, 'resolve', CREDENTIAL],
  ])('is no refusal, but the token resolver gets one without a throw: %p.%s', (token, method, members) => {
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID);
    const refuseAtOnce = () => {
      throw refusal;
    };
    const all = started(
      provider(token === AUTH_PROVIDER ? { ...members, [method]: refuseAtOnce } : {}),
      ...(token === AUTH_CREDENTIAL ? [[token, { ...members, [method]: refuseAtOnce }] as const] : []),
    );
    type Resolver = Record<string, () => unknown>;
    const found = token === AUTH_PROVIDER ? all.requireProvider() : (all.credentials[0] as AuthCredential);
    expect(() => (found as unknown as Resolver)[method]?.()).toThrow(refusal);
    expect((all.returningErrors(found) as unknown as Resolver)[method]?.()).toBe(refusal);
  });

  it('is limited in time by the timeoutMs of a step, which can be read', () => {
    expect(contributed(LOGIN_STEP, { succeeded: nothing, timeoutMs: 9 })['timeoutMs']).toBe(9);
  });
});

describe('contributions', () => {
  it('fill one port each', async () => {
    const sink = { keep: nothing };
    const all = started(
      provider({ keepsProof: true, resolve: () => ({}) }),
      [TOKEN_TRANSPORT, { read: () => 'carried', write: async () => ({}), clear: () => undefined }],
      [AUTH_LOGINS, LOGINS],
      [PASSWORD_HASHER, { hash: nothing, verify: nothing, isOutdated: () => false, dummy: nothing }],
      [AUTH_EVENT_SINK, sink],
      [AUTH_USER_STORE, { idType: 'string' }],
    );
    expect(all.transport?.read({} as never)).toBe('carried');
    expect(all.logins?.currentId()).toBe('id');
    expect(all.hasher?.isOutdated('x')).toBe(false);
    expect(all.sinks[0]).toBe(sink);
    expect(all.idType).toBe('string');
    await expect(all.hasher?.hash('x')).rejects.toMatchObject({ code: 50300 });
  });

  it('may all be missing', () => {
    const all = started(provider());
    expect(all).toMatchObject({ idType: 'number', credentials: [], steps: [], sinks: [] });
    const others = [all.transport, all.logins, all.hasher, all.canRequireEnrolment];
    expect(others).toEqual([undefined, undefined, undefined, false]);
  });

  it('of steps are sorted; without an order they count as 100', () => {
    const all = started(provider(), step('b'), step('d', 101), step('a', 99), step('c', 100));
    expect(all.steps.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('that two modules share count once', () => {
    const shared = step('a');
    expect(started(provider(), shared, step('b'), shared).steps.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('may come as a list', () => {
    const list = [step('b', 2)[1], step('a', 1)[1]];
    expect(started(provider(), [LOGIN_STEP, list]).steps.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('of factors say whether users may have to set up a second factor', () => {
    const required: Provided = [AUTH_FACTOR, { ...FACTOR, isRequiredFor: () => false }];
    expect(started(provider(), [AUTH_FACTOR, FACTOR], required).canRequireEnrolment).toBe(true);
    expect(started(provider(), [AUTH_FACTOR, FACTOR]).canRequireEnrolment).toBe(false);
  });

  it.each<object>([{ names: 'pager' }, { names: [7] }, { confirms: undefined }, { confirms: ['card'] }])(
    'of factors need names that can confirm a login, and not %j',
    (members) => {
      expect(() => started(provider(), [AUTH_FACTOR, { ...FACTOR, ...members }])).toThrow(
        'names and confirms of Object must be a list of strings',
      );
    },
  );

  it.each<[string, object]>([
    ['second of Object must be one of asked, offered, elsewhere, no.', { second: 'ask' }],
    ['Object lacks the method verify, so no login could be completed with it.', { second: undefined }],
    ['No login asks for Object. Import SecondFactorModule', { second: 'asked', verify: () => 'right' }],
  ])('of factors that no login could ask for stop start-up: %s', (message, members) => {
    expect(() => started(provider(), [AUTH_FACTOR, { ...FACTOR, ...members }])).toThrow(message);
  });

  it.each(['login', ['login', 7], 7])('may ignore events by a list of their types, not by %j', (ignores) => {
    expect(() => started(provider(), [AUTH_EVENT_SINK, { keep: nothing, ignores: ['login'] }])).not.toThrow();
    expect(() => started(provider(), [AUTH_EVENT_SINK, { keep: nothing, ignores }])).toThrow(
      'ignores of Object (of AppModule) must be a list of strings.',
    );
  });

  it.each([1, 2 ** 31 - 1])('may have a time limit of their own: %s', (timeoutMs) => {
    expect(() => started(provider(), [LOGIN_STEP, { succeeded: nothing, timeoutMs }])).not.toThrow();
  });

  it.each([0, 2 ** 31, 1.5, '7', Infinity, NaN, null])('may not have the time limit %s', (timeoutMs) => {
    expect(() => started(provider(), [LOGIN_STEP, { succeeded: nothing, timeoutMs }])).toThrow(
      'timeoutMs of Object (of AppModule) must be a whole number from 1 to 2147483647.',
    );
  });

  it('are given up after their own time limit, or that of the application', async () => {
    const never = () => new Promise<never>(() => undefined);
    const [own, common] = started(
      provider(),
      [LOGIN_STEP, { succeeded: never, timeoutMs: 1, order: 1 }],
      [LOGIN_STEP, { succeeded: never, order: 2 }],
    ).steps;
    const order: string[] = [];
    const fails = async (name: string, answer: unknown) => {
      await expect(answer).rejects.toMatchObject({ code: 50300 });
      order.push(name);
    };
    await Promise.all([
      fails('common', common?.succeeded?.({} as never, {} as never)),
      fails('own', own?.succeeded?.({} as never, {} as never)),
    ]);
    expect(order).toEqual(['own', 'common']);
  });

  it.each<[message: string, ...provided: Provided[]]>([
    [
      'There is more than one TokenTransport: Object (of AppModule), AppModule (of AppModule).',
      [TOKEN_TRANSPORT, { read: nothing }],
      [TOKEN_TRANSPORT, new AppModule()],
    ],
    ['There is more than one PasswordHasher', [PASSWORD_HASHER, {}], [PASSWORD_HASHER, {}]],
    ['There is more than one PasswordHasher', [PASSWORD_HASHER, [{}, {}]]],
    ['it lacks write, clear', [TOKEN_TRANSPORT, { read: nothing }]],
    ['it lacks read, write, clear.', [TOKEN_TRANSPORT, {}]],
    ['it must be an object in the default scope', [LOGIN_STEP, 'step']],
    ['in the default scope', [LOGIN_STEP, { succeeded: nothing }, { isDependencyTreeStatic: () => false }]],
    ['Object (of AppModule) does not implement LoginStep', [LOGIN_STEP, null]],
    ['a provider (of AppModule) does not implement LoginStep', [LOGIN_STEP, Object.create(null)]],
    ['it has none of the methods around, afterFirstFactor', [LOGIN_STEP, {}]],
    ['has the method succeded, which LoginStep', [LOGIN_STEP, { succeded: nothing }]],
    ['does not implement AuthEventSink: it lacks keep.', [AUTH_EVENT_SINK, {}]],
    ['LoginEndListener: it lacks ended.', [LOGIN_END_LISTENER, { onEnded: nothing }]],
    ['PasswordHasher: it lacks hash, verify, isOutdated, dummy.', [PASSWORD_HASHER, {}]],
    ['AuthCredential: it lacks resolve.', [AUTH_CREDENTIAL, { prefix: 'key_', scheme: 'key' }]],
    ['AuthLogins: it lacks listOf, currentId, end, endAllOf, open, check.', [AUTH_LOGINS, {}]],
    [
      'Object (of AppModule) cannot be used with stub, whose tokens last already',
      provider({ sessions: SESSIONS, keepsProof: true, resolve: nothing }),
      [AUTH_LOGINS, LOGINS],
    ],
    ['do not say which login they belong to', [AUTH_LOGINS, LOGINS]],
  ])('stop start-up: %s', (message, ...provided) => {
    expect(() => startedBeside(...provided)).toThrow(message);
  });

  it.each([
    ['afterFirstFactor', 'one edit', 'afterFirstFacto'],
    ['afterFirstFactor', 'two edits', 'aftrFirstFctor'],
    ['afterFirstFactor', 'another case', 'AfterFirstFactor'],
    ['afterFirstFactor', 'two of 16 letters', 'aftrFirstFactr'],
  ])('may have no method like %s, with %s', (meant, _difference, name) => {
    expect(() => started(provider(), [LOGIN_STEP, { succeeded: nothing, [name]: nothing }])).toThrow(
      `If it is meant to be ${meant}, correct its name.`,
    );
  });

  it.each<[string, object]>([
    ['that differs by three edits', { aftrFrstFctor: nothing }],
    ['that differs by three of 16 letters', { aftrFirstFcto: nothing }],
    ['with a short name that differs by two', { arou: nothing }],
    ['that is a property', { afterFirstFacto: 'x' }],
  ])('may have a member of their own %s', (_what, members) => {
    expect(() => started(provider(), [LOGIN_STEP, { succeeded: nothing, ...members }])).not.toThrow();
  });

  it('of transports may not have a method like admit that differs in one of five letters', () => {
    const start = (name: string) =>
      started(provider(), [
        TOKEN_TRANSPORT,
        { read: nothing, write: nothing, clear: nothing, [name]: nothing },
      ]);
    expect(() => start('admitt')).toThrow('If it is meant to be admit, correct its name.');
    expect(() => start('admitts')).not.toThrow();
  });

  it('may inherit a misspelled method', () => {
    class Base {
      afterFirstFacto() {}
    }
    class Step extends Base {
      succeeded() {}
    }
    expect(() => started(provider(), [LOGIN_STEP, new Step()])).toThrow(
      'Step (of AppModule) has the method afterFirstFacto',
    );
  });

  it('are refused where a module provides a port twice, of which Nest keeps one', () => {
    class Twice {}
    Reflect.defineMetadata('providers', [{ provide: LOGIN_STEP }, null, AppModule], Twice);
    const dynamic = (added: unknown[]) => ({
      name: 'Twice',
      metatype: Twice,
      token: 'twice',
      container: { getDynamicMetadataByToken: (token: string) => (token === 'twice' ? added : []) },
    });
    const [token, instance] = step('a');
    const start = (added: unknown[]) => started(provider(), [token, instance, { host: dynamic(added) }]);
    expect(() => start([{ provide: AUTH_CREDENTIAL }])).not.toThrow();
    expect(() => start([{ provide: LOGIN_STEP }])).toThrow(
      'Twice provides kit-auth.login-step more than once',
    );
  });

  it('of a module that is not known are named, too', () => {
    expect(() => started(provider(), [LOGIN_STEP, {}, { host: undefined }])).toThrow(
      'Object (of an unknown module) does not implement LoginStep',
    );
  });
});

describe('listeners for the ends of logins', () => {
  it('hear of each, whatever another listener throws', () => {
    const ended = jest.fn();
    const failing = () => {
      throw new Error('x');
    };
    const all = started(
      provider(),
      [LOGIN_END_LISTENER, { ended: failing }],
      [LOGIN_END_LISTENER, { ended }],
    );
    const end = { userId: 7, reason: 'kicked' } as const;
    all.endListeners.forEach((listener) => listener.ended(end));
    expect(ended.mock.calls).toEqual([[end]]);
  });
});

describe('the sources of the users of messages', () => {
  const source = (types: unknown): Provided => [AUTH_MESSAGES, { types, principalOf: () => undefined }];

  it('are found by the types of messages', () => {
    const all = started(provider(), source(['ws', 'graphql', 'ws']), source(['rpc']), source([]));
    expect(Array.from(all.messages, ([type, { types }]) => [type, types])).toEqual([
      ['ws', ['ws', 'graphql', 'ws']],
      ['graphql', ['ws', 'graphql', 'ws']],
      ['rpc', ['rpc']],
    ]);
  });

  const unknown = 'types of Object (of AppModule) must be a list of ws, rpc, graphql.';
  it.each<[message: string, ...provided: Provided[]]>([
    [unknown, source('ws')],
    [unknown, source(undefined)],
    [unknown, source(['http'])],
    [unknown, source(['ws', 'http'])],
    [
      'There is more than one AuthMessages for rpc: Object (of AppModule), Object (of AppModule).',
      source(['ws', 'rpc']),
      source(['rpc']),
    ],
    ['AuthMessages: it lacks principalOf.', [AUTH_MESSAGES, { types: ['ws'] }]],
  ])('stop start-up: %s', (message, ...provided) => {
    expect(() => startedBeside(...provided)).toThrow(message);
  });
});

describe('the prefix of a credential', () => {
  it('tells what resolves a token', () => {
    const all = started(provider(), credential('key_'), credential('app_'));
    const schemes = ['key_1', 'app_1', 'x', ' key_1'].map((token) => all.credentialOf(token)?.scheme);
    expect(schemes).toEqual(['key_', 'app_', undefined, undefined]);
  });

  const stub = (...tokenPrefixes: string[]) => provider({ tokenPrefixes });
  it.each<[message: string, ...provided: Provided[]]>([
    ['The credential "ke" needs a scheme, and a prefix of 3 to 16', credential('ke')],
    ['a prefix of 3 to 16', credential('k'.repeat(17))],
    ['a prefix of 3 to 16', credential('key ')],
    ['The credential "x" needs', credential(7 as never, 'x')],
    ['The credential "" needs', credential('key_', '')],
    ['The credential "7" needs', credential('key_', 7 as never)],
    ['its tokens would count as logins', credential('key_', 'stub')],
    [
      '"key_" and "key_a" both resolve tokens that begin with "key_"',
      credential('key_a'),
      credential('key_'),
    ],
    ['The credentials "a" and "b"', credential('key_', 'a'), credential('key_', 'b')],
    ['The credential "key_" would resolve tokens of stub', stub('x', 'key'), credential('key_')],
    ['The credential "key_" would resolve tokens of stub', stub('key_1'), credential('key_')],
  ])('is refused: %s', (message, ...provided) => {
    expect(() => startedBeside(...provided)).toThrow(message);
  });

  it.each([3, 16])('may have %i characters', (length) => {
    expect(() => started(provider(), credential('k'.repeat(length)))).not.toThrow();
  });
});

describe('a credential', () => {
  const found = (ways: object, scheme = 'own'): Provided => [
    AUTH_CREDENTIAL,
    { scheme, resolve: nothing, ...ways },
  ];
  const read = () => undefined;

  it('with tokens of its own is asked for no others', () => {
    const all = started(provider(), found({ authScheme: 'HMAC' }), found({ read }), credential('key_'));
    const schemes = ['key_1', 'HMAC 1', 'x'].map((token) => all.credentialOf(token)?.scheme);
    expect(schemes).toEqual(['key_', undefined, undefined]);
  });

  it.each<[message: string, ...provided: Provided[]]>([
    ['"own" has authScheme and read. Its tokens are found in one way', found({ authScheme: 'HMAC', read })],
    ['has prefix and read', found({ prefix: 'own_', read })],
    ['The credential "own" needs a scheme, and a prefix', found({})],
    ['The credential "" needs a scheme', found({ authScheme: 'HMAC' }, '')],
    ['must be one word', found({ authScheme: 'H MAC' })],
    ['must be one word', found({ authScheme: 7 })],
    ['kit.auth.tokenPrefix is "Bearer "', found({ authScheme: 'bearer' })],
    [
      'The credentials "own" and "other" both have the authScheme "HMAC"',
      found({ authScheme: 'HMAC' }),
      found({ authScheme: 'hmac' }, 'other'),
    ],
  ])('is refused: %s', (message, ...provided) => {
    expect(() => startedBeside(...provided)).toThrow(message);
  });

  it.each([
    ['may have a scheme that only ends like the prefix of tokens', found({ authScheme: 'X-Bearer' })],
    ['without a prefix shares none with tokens of the provider', found({ read })],
  ])('%s', (_what, provided) => {
    expect(() => started(provider({ tokenPrefixes: ['own_'] }), provided)).not.toThrow();
  });

  const issuer = (scheme: string, ...issuers: unknown[]) => found({ issuers }, scheme);
  const tokenOf = (iss: string) => `eyJ.${Buffer.from(JSON.stringify({ iss })).toString('base64url')}.x`;

  it('with issuers is asked for their tokens', () => {
    const all = started(
      provider({ issuer: 'https://own' }),
      issuer('one', 'https://a', 'https://b'),
      issuer('two', 'https://c'),
      credential('key_'),
    );
    const tokens = [...['a', 'b', 'c', 'own', 'd'].map((host) => tokenOf(`https://${host}`)), 'key_1'];
    const schemes = tokens.map((token) => all.credentialOf(token)?.scheme);
    expect(schemes).toEqual(['one', 'one', 'two', undefined, undefined, 'key_']);
  });

  it('without issuers leaves all JWTs to the provider, which are not read', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const all = started(provider({ issuer: 'https://own' }), credential('key_'));
    expect(all.credentialOf(tokenOf('https://a'))).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('may name where its tokens come from', () => {
    const resourceMetadata = 'https://api.example.com/.well-known/oauth-protected-resource';
    const all = started(provider(), credential('key_'), found({ issuers: ['https://a'], resourceMetadata }));
    expect(all.resourceMetadata).toBe(resourceMetadata);
    expect(started(provider()).resourceMetadata).toBeUndefined();
  });

  it.each<[message: string, ...provided: Provided[]]>([
    [
      '"stub" and the credential "one" both resolve tokens of the issuer "https://a"',
      provider({ issuer: 'https://a' }),
      issuer('one', 'https://b', 'https://a'),
    ],
    [
      '"one" and the credential "two" both resolve tokens of the issuer "https://a". Each issuer has one resolver',
      issuer('one', 'https://a'),
      issuer('two', 'https://b', 'https://a'),
    ],
    ['"one" and the credential "one" both', issuer('one', 'https://a', 'https://a')],
    ['a list of the iss of its tokens, such as ["https://login.example.com"].', issuer('one')],
    ['issuers of the credential "one" must', issuer('one', 'https://a', '')],
    ['issuers of the credential "one" must', issuer('one', 7)],
    ['issuers of the credential "one" must', found({ issuers: 'https://a' }, 'one')],
    ['has prefix and issuers', found({ issuers: ['https://a'], prefix: 'own_' })],
    ['has issuers and read', found({ issuers: ['https://a'], read })],
    ['The credential "" needs a scheme', issuer('', 'https://a')],
    ['its tokens would count as logins', issuer('stub', 'https://a')],
  ])('with issuers is refused: %s', (message, ...provided) => {
    expect(() => startedBeside(...provided)).toThrow(message);
  });

  it('with read() returns a token or nothing', () => {
    const [reader] = started(provider(), found({ read: () => '' })).credentials;
    expect(() => reader?.read?.({} as never)).toThrow(expect.objectContaining({ code: 50300 }));
  });
});

describe('what packages ask for', () => {
  const MAILER = Symbol('mailer');

  it('is the only contribution to a port of theirs', () => {
    const mailer = { send: nothing };
    const only = (...provided: Provided[]) => ports(provided).only<typeof mailer>(MAILER, 'Mailer', ['send']);
    expect(only([MAILER, mailer])).toBe(mailer);
    expect(only()).toBeUndefined();
    expect(() => only([MAILER, mailer], [MAILER, mailer])).toThrow('There is more than one Mailer');
    expect(() => only([MAILER, {}])).toThrow(
      'Object (of AppModule) does not implement Mailer: it lacks send.',
    );
  });

  it('is that a module is imported once, also where there are two copies of it', () => {
    const copy = class AppModule {};
    const all = (...modules: object[]) => ports(modules.map((metatype) => [metatype, {}, { metatype }]));
    expect(() => all(AppModule, Ports).requireOneImport(AppModule)).not.toThrow();
    const value = [MAILER, {}, { metatype: undefined }] as const;
    expect(() => ports([value]).requireOneImport(AppModule)).not.toThrow();
    expect(() => all(AppModule, copy).requireOneImport(AppModule)).toThrow(
      'more than one AppModule.forRoot()',
    );
  });

  it('is one KitAuthModule', () => {
    const twice = ports([provider(), [Ports, {}], [Ports, {}]]);
    expect(() => twice.onModuleInit()).toThrow('KitAuthModule is imported more than once');
    expect(() => started(provider(), [Ports, {}])).not.toThrow();
  });
});

describe('the edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'ab', 2],
    ['a', 'a', 0],
    ['a', 'b', 1],
    ['ab', 'b', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['xaby', 'xbay', 1],
    ['abcd', 'badc', 2],
    ['ab', 'ca', 2],
    ['ca', 'abc', 3],
    ['aba', 'bab', 2],
    ['abcdef', 'fedcba', 5],
    ['abc', 'abxc', 1],
    ['abc', 'axc', 1],
    ['abc', 'bac', 1],
    ['abc', 'acb', 1],
    ['abc', 'xyz', 3],
    ['aab', 'bab', 1],
    ['abab', 'baba', 2],
  ])('from %j to %j is %i', (a, b, distance) => {
    expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
  });
});
