import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { endOf } from '../connections/socket-end.js';
import { FirstMessage } from './first.message.js';
import { closeWs } from './servers.js';

class FakeClient extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = true;
  close = jest.fn<(code: number, reason: string) => void>();
  terminate = jest.fn();

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

const MISSING = new AuthException(AuthErrorCode.TOKEN_MISSING);
const CONNECTION = { isOver: false };
const message = (value: unknown) => Buffer.from(JSON.stringify(value));
const WITH_TOKEN = message({ event: 'kit-auth', data: { token: 'x' } });

let client: FakeClient;
let socket: EventEmitter & { bytesRead: number };
beforeEach(() => {
  client = new FakeClient();
  socket = Object.assign(new EventEmitter(), { bytesRead: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the first message', () => {
  const admit = jest.fn<(handshake: { auth?: unknown }) => Promise<unknown>>();
  const close = jest.fn();
  beforeEach(() => {
    [admit, close].forEach((mock) => mock.mockClear());
    admit.mockResolvedValue(CONNECTION);
  });

  function decide(found: unknown = MISSING, needsToken = true) {
    const first = new FirstMessage(
      { find: () => found } as never,
      { admit, whileWaiting: (work: () => unknown) => work() } as never,
      { refused: (_via: string, _rule: object, error: unknown) => endOf(error) } as never,
      { settings: { firstMessageMs: 5000, maxWaiting: 1 } } as never,
    );
    return first.decide(
      client,
      { request: { socket, headers: {} }, close } as never,
      { needsToken } as never,
    );
  }

  const listeners = () => [client, socket].flatMap((emitter) => emitter.eventNames());

  it.each([
    [{ token: 'x' }, WITH_TOKEN, false],
    [undefined, WITH_TOKEN, true],
    [undefined, message({ event: 'who', data: { token: 'x' } }), false],
    [undefined, message({ event: 'kit-auth' }), false],
    [{ token: 4711 }, message({ event: 'kit-auth', data: { token: 4711 } }), false],
    [undefined, message(null), false],
    [undefined, Buffer.from('x'), false],
  ])('has the data %j in %s, binary: %s', async (auth, data, isBinary) => {
    const decision = decide();
    expect(client.isPaused).toBe(false);
    client.emit('message', data, isBinary);
    expect(await decision).toBe(CONNECTION);
    expect(admit.mock.calls[0]?.[0].auth).toEqual(auth);
    expect([client.isPaused, listeners()]).toEqual([true, []]);
  });

  it('is followed by those that came in the same packet, in their order, once the client is admitted', async () => {
    const decision = decide();
    [WITH_TOKEN, 1, 2, 3].forEach((data) => client.emit('message', data, false));
    await decision;
    const seen: unknown[] = [];
    client.on('message', (data) => seen.push(data));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([1, 2, 3]);
  });

  it('is followed by none if the client is refused, which is told', async () => {
    admit.mockRejectedValue(invalidToken('malformed'));
    const decision = decide();
    [WITH_TOKEN, 1].forEach((data) => client.emit('message', data, false));
    expect(await decision).toBeUndefined();
    const seen = jest.fn();
    client.on('message', seen);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).not.toHaveBeenCalled();
    expect(close).toHaveBeenCalledWith({ code: 4401, reason: 'malformed' });
  });

  it('has to come in time', async () => {
    jest.useFakeTimers();
    const decision = decide();
    await jest.advanceTimersByTimeAsync(4999);
    expect(close).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(await decision).toBeUndefined();
    expect(close).toHaveBeenCalledWith({ code: 4408, reason: 'too-late' });
    expect(listeners()).toEqual([]);
  });

  it('has to be short', async () => {
    const decision = decide();
    socket.emit('data', Buffer.alloc(65_536));
    expect(close).not.toHaveBeenCalled();
    socket.emit('data', Buffer.alloc(1));
    expect(await decision).toBeUndefined();
    expect(close).toHaveBeenCalledWith({ code: 4401, reason: 'malformed' });
    expect([admit.mock.calls, listeners()]).toEqual([[], []]);
  });

  it('is not waited for when the client goes', async () => {
    const decision = decide();
    client.emit('close');
    expect(await decision).toBeUndefined();
    expect([admit.mock.calls, close.mock.calls, listeners()]).toEqual([[], [], []]);
  });

  it.each([
    ['has a token', 'x', true],
    ['needs none', MISSING, false],
  ])('is none for this package where the handshake %s', async (_, found, needsToken) => {
    expect(await decide(found, needsToken)).toBe(CONNECTION);
    expect([client.isPaused, listeners()]).toEqual([true, []]);
  });
});

describe('the end of a client of ws', () => {
  const end = (reason = 'kicked') => closeWs(client, { socket } as never, { code: 4401, reason });

  it('fits the close frame, which has at most 123 bytes', () => {
    end('€'.repeat(200));
    expect(client.close).toHaveBeenCalledWith(4401, '€'.repeat(41));
    expect(client.isPaused).toBe(false);
  });

  it('is a broken connection if the client does not answer in three seconds', () => {
    jest.useFakeTimers();
    end();
    jest.advanceTimersByTime(2999);
    expect(client.terminate).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(client.terminate).toHaveBeenCalledTimes(1);
  });

  it('needs nothing else once the client has closed', () => {
    jest.useFakeTimers();
    end();
    client.emit('close');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is a broken connection if the client sends more than a megabyte before it answers', () => {
    jest.useFakeTimers();
    socket.bytesRead = 10;
    end();
    socket.bytesRead += 1_048_576;
    socket.emit('data', Buffer.alloc(1));
    expect(client.terminate).not.toHaveBeenCalled();
    socket.bytesRead++;
    socket.emit('data', Buffer.alloc(1));
    expect(client.terminate).toHaveBeenCalledTimes(1);
  });
});
