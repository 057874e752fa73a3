import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  BadRequestException,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import {
  areDecisionsObserved,
  hashes,
  noteAdmitted,
  noteFailedLogin,
  noteLogin,
  noteOpen,
  noteRefused,
  noteSocket,
  noteThrottled,
  Operation,
  outcomeOf,
  resolutions,
  storeCalls,
  viaOf,
} from './channels.js';
import type { AuthOperationMessage } from './messages.js';

const operation = new Operation<AuthOperationMessage>('kit-auth:spec');
const START = 'tracing:kit-auth:spec:start';
const ended: (() => unknown)[] = [];

/** Listens to a channel until the test ends. */
function listenTo(name: string, listen: (message: unknown) => void): void {
  const listener = (message: unknown) => listen(message);
  subscribe(name, listener);
  ended.push(() => unsubscribe(name, listener));
}

/** What is published on a channel from now on. */
function messagesOn(name: string): unknown[] {
  const messages: unknown[] = [];
  listenTo(name, (message) => messages.push(message));
  return messages;
}

describe('an operation', () => {
  afterEach(() => ended.splice(0).forEach((end) => end()));

  it('runs its work in the contexts of its subscribers, one within the other', async () => {
    const heard: string[] = [];
    for (const name of ['inner', 'outer']) {
      listenTo(START, (started) => {
        const message = started as AuthOperationMessage;
        const { around = (work) => work() } = message;
        message.around = (work) => {
          heard.push(name);
          return around(work);
        };
      });
    }
    expect(operation.run({}, () => heard.push('work'))).toBe(3);
    expect(heard).toEqual(['outer', 'inner', 'work']);
    await expect(operation.run({}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('keeps a context in an AsyncLocalStorage that is bound to its start', async () => {
    const storage = new AsyncLocalStorage<string>();
    channel(START).bindStore(storage, () => 'inside');
    ended.push(() => channel(START).unbindStore(storage));
    const inside = operation.run({}, async () => {
      await Promise.resolve();
      return storage.getStore();
    });
    expect(storage.getStore()).toBeUndefined();
    expect(await inside).toBe('inside');
  });
});

describe('the messages of an operation', () => {
  afterEach(() => ended.splice(0).forEach((end) => end()));

  /** The messages in their order, each with what it says then. */
  function hear(): [event: string, message: AuthOperationMessage][] {
    const heard: [string, AuthOperationMessage][] = [];
    for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) {
      listenTo(`tracing:kit-auth:spec:${event}`, (message) =>
        heard.push([event, { ...(message as AuthOperationMessage) }]),
      );
    }
    return heard;
  }
  const forbidden = new AuthException(AuthErrorCode.FORBIDDEN);
  const refused = { outcome: 'refused', code: 40300 };
  const succeeded = { outcome: 'succeeded' };

  it('are two for a result, and four for a promise', async () => {
    const heard = hear();
    expect(operation.run({}, () => 7)).toBe(7);
    expect(heard.splice(0)).toEqual([
      ['start', {}],
      ['end', succeeded],
    ]);
    expect(await operation.run({}, async () => 7)).toBe(7);
    expect(heard).toEqual([
      ['start', {}],
      ['end', {}],
      ['asyncStart', succeeded],
      ['asyncEnd', succeeded],
    ]);
  });

  it('say what went wrong, now or later', async () => {
    const heard = hear();
    const fail = () => {
      throw forbidden;
    };
    expect(() => operation.run({}, fail)).toThrow(forbidden);
    expect(heard.splice(0)).toEqual([
      ['start', {}],
      ['error', refused],
      ['end', refused],
    ]);
    await expect(operation.run({}, async () => fail())).rejects.toBe(forbidden);
    expect(heard).toEqual([
      ['start', {}],
      ['end', {}],
      ['error', refused],
      ['asyncStart', refused],
      ['asyncEnd', refused],
    ]);
  });

  it.each([
    ['kit-auth:resolve', resolutions],
    ['kit-auth:hash', hashes],
    ['kit-auth:store', storeCalls],
  ])('are published on %s', (name, observed) => {
    expect(observed.isObserved).toBe(false);
    const messages = messagesOn(`tracing:${name}:end`);
    expect(observed.isObserved).toBe(true);
    (observed as Operation<object>).run({}, () => undefined);
    expect(messages).toEqual([succeeded]);
  });
});

describe('the outcome of an error', () => {
  it.each<[unknown, object]>([
    [new Error('x'), { outcome: 'failed' }],
    ['x', { outcome: 'failed' }],
    [undefined, { outcome: 'failed' }],
    [new BadRequestException(), { outcome: 'refused' }],
    [new InternalServerErrorException(), { outcome: 'failed' }],
    [new ServiceUnavailableException(), { outcome: 'failed' }],
    [new AuthException(AuthErrorCode.TOKEN_MISSING), { outcome: 'refused', code: 40100 }],
    [new AuthException(AuthErrorCode.AUTH_UNAVAILABLE), { outcome: 'failed', code: 50300 }],
    [new AuthException(41750 as never, { error: 'BUSY' as never, message: '' }), { outcome: 'refused' }],
  ])('%s is %j', (error, outcome) => expect(outcomeOf(error)).toEqual(outcome));

  it.each<[string, string[]]>([
    ['tokens', ['malformed', 'signature', 'expired', 'revoked', 'missing', 'reused', 'unknown', 'other']],
    ['logins', ['logged-out', 'kicked', 'replaced', 'idle', 'session-limit', 'too-many-attempts', 'origin']],
    ['accounts', ['password-changed', 'address-changed', 'disabled', 'challenge-ended']],
    ['requests', ['forbidden', 'another-login', 'not-fresh', 'too-late']],
    ['sockets', ['too-many-sockets', 'too-many-waiting', 'too-many-refusals', 'unavailable']],
  ])('has the reasons of %s', (_what, reasons) => {
    for (const reason of reasons) {
      const error = new AuthException(AuthErrorCode.TOKEN_INVALID, { reason });
      expect(outcomeOf(error)).toMatchObject({ reason });
    }
  });

  it('has no reason that an application could choose freely', () => {
    const reason = 'password hunter2';
    expect(outcomeOf(new AuthException(AuthErrorCode.TOKEN_INVALID, { reason }))).toMatchObject({
      reason: 'other',
    });
  });
});

describe('the channel of', () => {
  afterEach(() => ended.splice(0).forEach((end) => end()));

  it('decisions says how they came to be', () => {
    noteOpen('http', 'public'); // Nobody hears of it.
    expect(areDecisionsObserved()).toBe(false);
    const messages = messagesOn('kit-auth:decision');
    expect(areDecisionsObserved()).toBe(true);
    noteOpen('http', 'public');
    noteAdmitted('graphql', 'stub');
    noteRefused('ws', new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'expired' }));
    expect(messages).toEqual([
      { via: 'http', outcome: 'open', reason: 'public' },
      { via: 'graphql', outcome: 'admitted', scheme: 'stub' },
      { via: 'ws', outcome: 'refused', code: 40101, reason: 'expired' },
    ]);
  });

  it.each(['http', 'graphql', 'ws', 'rpc', 'other'])('decisions knows the type %s', (type) => {
    expect(viaOf(type)).toBe(type);
  });

  it('decisions names no other type', () => {
    expect(viaOf('telegram')).toBe('other');
  });

  it.each<[string, unknown]>([
    ['wrong-credentials', new AuthException(AuthErrorCode.LOGIN_FAILED)],
    ['disabled', new AuthException(AuthErrorCode.USER_DISABLED)],
    ['second-factor-required', new AuthException(AuthErrorCode.SECOND_FACTOR_REQUIRED)],
    ['wrong-factor', new AuthException(AuthErrorCode.FACTOR_FAILED)],
    ['throttled', new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS)],
    ['refused', new AuthException(AuthErrorCode.CROSS_ORIGIN)],
    ['failed', new AuthException(AuthErrorCode.AUTH_UNAVAILABLE)],
    ['failed', new Error('x')],
    ['failed', undefined],
  ])('logins has the outcome %s', (outcome, error) => {
    const messages = messagesOn('kit-auth:login');
    noteFailedLogin(error);
    noteLogin();
    expect(messages).toEqual([{ outcome }, { outcome: 'succeeded' }]);
  });

  it('limits names the limit', () => {
    const messages = messagesOn('kit-auth:throttle');
    noteThrottled('login-account');
    expect(messages).toEqual([{ limit: 'login-account' }]);
  });

  it('sockets says why the server has closed one, and gives no reason for a client that left', () => {
    noteSocket('ws', 'opened'); // Nobody hears of it.
    const messages = messagesOn('kit-auth:socket');
    noteSocket('socket.io', 'refused', 'too-many-sockets');
    noteSocket('ws', 'closed', 'of the application');
    noteSocket('graphql', 'closed');
    expect(messages).toStrictEqual([
      { via: 'socket.io', outcome: 'refused', reason: 'too-many-sockets' },
      { via: 'ws', outcome: 'closed', reason: 'other' },
      { via: 'graphql', outcome: 'closed' },
    ]);
  });
});
