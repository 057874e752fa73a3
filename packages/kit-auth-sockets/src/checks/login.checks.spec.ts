import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import { MessageContexts, type ResolvedPrincipal } from 'kit-auth/login';
import { ALL_BUT_DATE, freezeDate, loginUser, until } from 'test-support';
import { Connection } from '../connections/connection.js';
import type { ServerRule } from '../connections/handshake.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { LoginCheck } from './login.check.js';
import { LoginChecks } from './login.checks.js';

const FORBIDDEN = new AuthException(AuthErrorCode.FORBIDDEN);
const GATEWAY: ServerRule = {
  name: 'Gateway',
  needsToken: true,
  readsToken: true,
  ignoresInvalid: false,
  gateways: [{ gateway: class {}, rule: { requirements: [] } as never }],
};
const contexts = new MessageContexts();
const principalOf = (userId: number) =>
  ({ user: loginUser({ userId }), proof: { factors: {} } }) as unknown as ResolvedPrincipal;
const settings = { recheckSeconds: 30, keepAfterToken: true };

/** Resolves when everything that can go on has gone on. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

let registry: SocketRegistry;
let tokens = 0;
beforeEach(() => {
  registry = new SocketRegistry({ closed: () => undefined } as never);
});
afterEach(() => {
  jest.useRealTimers();
});

function open(userId = 7, rule = GATEWAY, token = `token ${tokens++}`) {
  const principal = principalOf(userId);
  const context = contexts.open(principal, undefined);
  const connection = new Connection('ws', {}, {} as never, rule, context, () => undefined, contexts);
  return { connection, bearer: registry.add(connection, token, principal) };
}

describe('the check of a login', () => {
  const now = jest.fn<() => Promise<ResolvedPrincipal>>();
  const check = jest.fn<(principal: unknown, rule: ServerRule) => Promise<void>>();
  const checkStream = jest.fn<(principal: unknown, stream: object) => Promise<void>>();
  let login: LoginCheck;
  beforeEach(() => {
    [now, check, checkStream].forEach((mock) => mock.mockReset());
    now.mockResolvedValue(principalOf(7));
    check.mockResolvedValue();
    checkStream.mockResolvedValue();
    login = new LoginCheck(
      { now } as never,
      { check, checkStream } as never,
      registry,
      { settings } as never,
      { extensionTimeoutMs: 5000 } as never,
    );
  });

  it('renews the user of its sockets', async () => {
    const { connection, bearer } = open();
    bearer.hint();
    const renewed = { ...principalOf(7), scheme: 'renewed' };
    now.mockResolvedValue(renewed);
    await login.run(bearer);
    expect([connection.principal, connection.isOver]).toEqual([renewed, false]);
    expect(bearer.hintsSeen).toBe(bearer.hints);
  });

  it('stays in doubt when a hint has come meanwhile', async () => {
    const { bearer } = open();
    now.mockImplementation(async () => {
      bearer.hint();
      return principalOf(7);
    });
    await login.run(bearer);
    expect(bearer.isInDoubt(Date.now(), 30_000)).toBe(true);
  });

  it('ends all sockets of a login that is over', async () => {
    const { connection, bearer } = open();
    now.mockRejectedValue(invalidToken('logged-out'));
    await login.run(bearer);
    expect([connection.end, registry.countOf(7)]).toEqual([{ code: 4401, reason: 'logged-out' }, 0]);
  });

  it('ends the sockets of one rule when the user no longer meets it, and asks once for a rule', async () => {
    const closedRule = { ...GATEWAY, name: 'Closed' };
    const one = open(7, GATEWAY, 'token');
    const others = [open(7, GATEWAY, 'token'), open(7, closedRule, 'token'), open(7, closedRule, 'token')];
    check.mockImplementation(async (_, { name }) =>
      name === 'Closed' ? Promise.reject(FORBIDDEN) : undefined,
    );
    await login.run(one.bearer);
    const end = { code: 4403, reason: 'forbidden' };
    expect(others.map(({ connection }) => connection.end)).toEqual([undefined, end, end]);
    expect([one.connection.end, check.mock.calls.length]).toEqual([undefined, 2]);
  });

  it('asks policies for each socket, and requires no fresh login any more', async () => {
    const requirements = [{ kind: 'policy' }, { kind: 'fresh' }, { kind: 'roles' }];
    const rule = { ...GATEWAY, gateways: [{ gateway: class {}, rule: { requirements } as never }] };
    const [one, two] = [open(7, rule, 'token'), open(7, rule, 'token')];
    check.mockResolvedValueOnce().mockRejectedValueOnce(FORBIDDEN);
    await login.run(one.bearer);
    expect([one.connection.isOver, two.connection.isOver]).toEqual([false, true]);
    const [asked] = check.mock.calls[0]![1].gateways;
    expect(asked?.rule.requirements).toEqual([{ kind: 'policy' }, { kind: 'roles' }]);
  });

  it('stops a stream that its user may no longer have, and keeps the socket', async () => {
    const { connection, bearer } = open();
    const [stopped, kept] = [{ stop: jest.fn() }, { stop: jest.fn() }];
    connection.streams.add(stopped as never).add(kept as never);
    checkStream.mockImplementation(async (_, stream) =>
      stream === stopped ? Promise.reject(FORBIDDEN) : undefined,
    );
    await login.run(bearer);
    expect(stopped.stop).toHaveBeenCalledWith(FORBIDDEN);
    expect([kept.stop.mock.calls, connection.streams.size, connection.isOver]).toEqual([[], 1, false]);
  });

  it.each(['a policy of the socket', 'a policy of a stream'])(
    'gives up %s that does not answer',
    async (whose) => {
      jest.useFakeTimers();
      const { connection, bearer } = open();
      const silent = () => new Promise<void>(() => undefined);
      if (whose === 'a policy of a stream') {
        connection.streams.add({ stop: jest.fn() } as never);
        checkStream.mockImplementation(silent);
      } else {
        check.mockImplementation(silent);
      }
      const running = login.run(bearer).catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(5000);
      expect(await running).toEqual(new Error('the login of a socket could not be checked'));
      expect([connection.isOver, bearer.failingSince]).toEqual([false, Date.now()]);
    },
  );

  it('closes sockets after five minutes in which it failed, and no earlier', async () => {
    const move = freezeDate();
    const { connection, bearer } = open();
    now.mockRejectedValue(unavailable());
    await expect(login.run(bearer)).rejects.toMatchObject({ code: 50300 });
    expect(bearer.retryAt).toBe(Date.now() + 5000);
    move(299_999);
    now.mockRejectedValue(new Error('away'));
    await expect(login.run(bearer)).rejects.toThrow('the login of a socket could not be checked');
    expect(connection.isOver).toBe(false);
    now.mockResolvedValueOnce(principalOf(7));
    await login.run(bearer); // it is back
    move(2);
    await expect(login.run(bearer)).rejects.toThrow();
    move(299_999);
    await expect(login.run(bearer)).rejects.toThrow();
    expect(connection.isOver).toBe(false);
    move(1);
    await expect(login.run(bearer)).rejects.toThrow();
    expect(connection.end).toEqual({ code: 1013, reason: 'unavailable' });
  });
});

describe('checks of logins', () => {
  const run = jest.fn<(bearer: { checkedAt: number; hintsSeen: number; hints: number }) => Promise<void>>();
  const answers = new Set<() => void>();
  let checks: LoginChecks;
  const start = () => (checks = new LoginChecks({ run } as never, registry, { settings } as never));
  beforeEach(() => {
    answers.clear();
    run.mockReset().mockImplementation(async (bearer) => {
      const { hints } = bearer;
      await new Promise<void>((resolve) => answers.add(resolve));
      Object.assign(bearer, { checkedAt: Date.now(), hintsSeen: hints });
    });
  });
  afterEach(async () => {
    const ending = checks.beforeApplicationShutdown();
    answers.forEach((answer) => answer());
    await ending;
  });

  it('are eight at once, and the others follow', async () => {
    start();
    Array.from({ length: 20 }, () => open()).forEach(({ bearer }) => checks.enqueue(bearer));
    await settled();
    expect(run).toHaveBeenCalledTimes(8);
    answers.forEach((answer) => answer());
    await settled();
    expect(run).toHaveBeenCalledTimes(16);
  });

  it('leave out tokens whose sockets have gone meanwhile', async () => {
    start();
    const { connection, bearer } = open();
    checks.enqueue(bearer);
    registry.remove(connection);
    await settled();
    expect(run).not.toHaveBeenCalled();
  });

  it('come every recheckSeconds, and five seconds after one that failed', async () => {
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((name) => !name.endsWith('Interval')) });
    start();
    const { bearer } = open();
    const pass = async (milliseconds: number) => {
      jest.advanceTimersByTime(milliseconds);
      await settled();
      return run.mock.calls.length;
    };
    expect([await pass(29_000), await pass(1000)]).toEqual([0, 1]);
    answers.forEach((answer) => answer());
    await settled();
    expect([await pass(29_000), await pass(1000)]).toEqual([1, 2]);
    answers.forEach((answer) => answer());
    await settled();
    bearer.hint();
    Object.assign(bearer, { failingSince: Date.now(), retryAt: Date.now() + 5000 });
    expect([await pass(4000), await pass(1000)]).toEqual([2, 3]);
  });

  it('let a message wait only if its user may have changed', async () => {
    start();
    const { connection, bearer } = open();
    expect(checks.isCertain(connection)).toBe(true);
    bearer.hint();
    expect(checks.isCertain(connection)).toBe(false);
    const principal = checks.principalOf(connection);
    await settled();
    expect([run.mock.calls.length, bearer.isActive]).toEqual([1, true]);
    answers.forEach((answer) => answer());
    expect(await principal).toBe(bearer.principal);
    expect(await checks.principalOf(connection)).toBe(bearer.principal);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('let no message through when the socket is over by then', async () => {
    start();
    const { connection, bearer } = open();
    bearer.hint();
    const principal = checks.principalOf(connection);
    await settled();
    await registry.end([connection], { code: 4401, reason: 'idle' });
    answers.forEach((answer) => answer());
    await expect(principal).rejects.toMatchObject({ code: 40101, reason: 'idle' });
    expect(checks.isCertain(connection)).toBe(false);
  });

  it('do not begin once the application ends, which waits for those that run', async () => {
    start();
    checks.enqueue(open().bearer);
    await until(() => answers.size || undefined);
    const ended = jest.fn();
    void checks.beforeApplicationShutdown().then(ended);
    checks.enqueue(open().bearer);
    await settled();
    expect([ended.mock.calls.length, run.mock.calls.length]).toEqual([0, 1]);
    answers.forEach((answer) => answer());
    await settled();
    expect([ended.mock.calls.length, run.mock.calls.length]).toEqual([1, 1]);
  });
});
