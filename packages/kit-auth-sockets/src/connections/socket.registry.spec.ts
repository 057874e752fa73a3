import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException, IllegalStateException } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import { MessageContexts, type ResolvedPrincipal } from 'kit-auth/login';
import { loginUser } from 'test-support';
import { Connection } from './connection.js';
import { MessageRefusals } from '../socket.messages.js';
import { endOf, type SocketEnd } from './socket-end.js';
import { SocketRegistry } from './socket.registry.js';

const contexts = new MessageContexts();
const principalOf = (userId = 7, loginId = 'login') =>
  ({ user: loginUser({ userId }), proof: { loginId } }) as unknown as ResolvedPrincipal;

let closed: Connection[];
let registry: SocketRegistry;
beforeEach(() => {
  closed = [];
  registry = new SocketRegistry({
    closed: (connection: Connection) => void closed.push(connection),
  } as never);
});
afterEach(() => {
  jest.useRealTimers();
});

function open(token = 'token', principal = principalOf(), close: (end: SocketEnd) => void = jest.fn()) {
  const rule = { name: 'Gateway' } as never;
  const context = contexts.open(principal, undefined);
  const connection = new Connection('ws', {}, {} as never, rule, context, close, contexts);
  registry.add(connection, token, principal);
  return Object.assign(connection, { close$: close });
}

describe('the registry of sockets', () => {
  it('knows the sockets of a user and of a login', () => {
    const [one, two] = [open(), open('other', principalOf(7, 'another'))];
    open('third', principalOf(8));
    expect(registry.ofUser(7)).toEqual([
      { client: one.client, via: 'ws', userId: 7, loginId: 'login', openedAt: one.openedAt },
      { client: two.client, via: 'ws', userId: 7, loginId: 'another', openedAt: two.openedAt },
    ]);
    expect(registry.ofLogin('another').map(({ userId }) => userId)).toEqual([7]);
    expect([registry.countOf(7), registry.countOf(9), registry.ofUser(9)]).toEqual([2, 0, []]);
  });

  it('closes sockets: at once for their handlers, then for their clients, and reports each once', async () => {
    const close = jest.fn();
    const [one, two] = [open('token', principalOf(), close), open()];
    const closing = registry.close(registry.ofUser(7).slice(0, 1));
    expect([one.isOver, one.principal, two.isOver]).toEqual([true, undefined, false]);
    await closing;
    await registry.end([one], { code: 4403, reason: 'late' });
    registry.remove(one);
    expect(close.mock.calls).toEqual([[{ code: 4401, reason: 'kicked' }]]);
    expect(closed).toEqual([one]);
    expect(registry.countOf(7)).toBe(1);
  });

  it.each([{ reason: 'x'.repeat(33) }, { reason: '' }, { reason: 'Left' }, { code: 7 as never }])(
    'closes nothing with %j',
    async (options) => {
      open();
      await expect(registry.close(registry.ofUser(7), options)).rejects.toThrow(IllegalStateException);
      expect(registry.countOf(7)).toBe(1);
    },
  );

  it('lets other work be done while it closes many', async () => {
    const connections = Array.from({ length: 120 }, () => open());
    const ending = registry.end(connections, { code: 4401, reason: 'kicked' });
    expect(closed).toHaveLength(49);
    expect([connections.every(({ isOver }) => isOver), registry.countOf(7)]).toEqual([true, 0]);
    await ending;
    expect(closed).toHaveLength(120);
  });

  it('closes the others when a listener of the application fails', async () => {
    const fails = () => {
      throw new Error('The application fails');
    };
    const connections = [open('token', principalOf(), fails), open()];
    await registry.end(connections, { code: 4401, reason: 'logged-out' });
    expect(connections[1]!.close$).toHaveBeenCalledWith({ code: 4401, reason: 'logged-out' });
  });

  it('closes the sockets of a token that belongs to another user now', () => {
    const before = open();
    open('token', principalOf(8));
    expect(before.end).toEqual({ code: 4401, reason: 'revoked' });
    expect([registry.countOf(7), registry.countOf(8)]).toEqual([0, 1]);
  });

  it('moves a socket to another token, and forgets tokens without sockets', () => {
    const connection = open();
    const renewed = principalOf(7, 'renewed');
    const bearer = registry.move(connection, 'next', renewed);
    expect([bearer.token, registry.bearerOf(bearer.id)]).toEqual(['next', bearer]);
    expect(connection.principal).toBe(renewed);
    expect([...registry.all()]).toEqual([bearer]);
    registry.remove(connection);
    expect([[...registry.all()], registry.bearersOf(7)]).toEqual([[], []]);
    expect(registry.bearerOf(bearer.id)).toBeUndefined();
  });

  it('keeps the user for handlers that are called after the end', async () => {
    const connection = open();
    await registry.end([connection], { code: 4403, reason: 'forbidden' });
    const seen = connection.afterEnd(() => contexts);
    expect([seen, connection.lastPrincipal?.user.userId]).toEqual([contexts, 7]);
    expect(connection.refusal()).toMatchObject({ code: 40300 });
    const other = open();
    await registry.end([other], { code: 4401, reason: 'idle' });
    expect(other.refusal()).toMatchObject({ code: 40101, reason: 'idle' });
  });
});

describe('the end of a socket', () => {
  it.each<[string, unknown]>([
    ['4401 missing', new AuthException(AuthErrorCode.TOKEN_MISSING)],
    ['4401 expired', invalidToken('expired')],
    ['4401 unknown', invalidToken()],
    ['4403 not-fresh', new AuthException(AuthErrorCode.FRESH_LOGIN_REQUIRED)],
    ['4403 forbidden', new AuthException(AuthErrorCode.FORBIDDEN)],
    ['4403 another-login', new AuthException(AuthErrorCode.FORBIDDEN, { reason: 'another-login' })],
    ['4429 too-many', new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS)],
    ['4429 full', new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { reason: 'full' })],
    ['1013 unavailable', unavailable()],
    ['1013 unavailable', new Error('any')],
  ])('is %s for %p', (end, error) => {
    const { code, reason } = endOf(error);
    expect(`${code} ${reason}`).toBe(end);
  });
});

describe('refused messages', () => {
  it('close a socket when twenty come in a minute', () => {
    jest.useFakeTimers();
    const refusals = new MessageRefusals(registry);
    const [slow, fast] = [open(), open()];
    for (let i = 0; i < 19; i++) {
      refusals.note(slow);
      refusals.note(fast);
    }
    jest.advanceTimersByTime(59_999);
    expect([slow.isOver, fast.isOver]).toEqual([false, false]);
    refusals.note(fast);
    jest.advanceTimersByTime(1);
    refusals.note(slow);
    expect([slow.end, fast.end]).toEqual([undefined, { code: 4429, reason: 'too-many-refusals' }]);
  });
});
