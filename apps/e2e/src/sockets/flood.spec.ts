import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bearer, sharedTestApp, until } from 'test-support';
import { SocketsApp, type WsTestSocket } from './app.js';
import { beginOf, frameOf, holdTokens, rawSocket } from './raw.js';

const MESSAGES = 100;
const flood = Buffer.concat(Array.from({ length: MESSAGES }, (_, i) => frameOf({ event: 'who', data: i })));
const HANDLED = ['connected ada', ...Array.from({ length: MESSAGES }, (_, i) => `who ${i} ada`)];

describe('floods of messages', () => {
  const app = sharedTestApp(new SocketsApp({ provider: 'session' }));
  const messageApp = sharedTestApp(new SocketsApp({ sockets: { from: ['message'] } }));
  let token: string;

  beforeAll(async () => {
    await app.user({ username: 'ada' });
    await messageApp.user({ username: 'ada' });
    token = await app.tokenOf('ada');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    app.seen.length = messageApp.seen.length = 0;
  });

  it('in the packet of the handshake wait for the decision, and none is lost', async () => {
    const held = holdTokens(app);
    const socket = rawSocket(app.port, '/chat', [bearer(token)], flood);
    await until(() => (held.asked() > 0 ? true : undefined));
    await app.request('/v1/api/auth/me'); // a round through the event loop
    expect(app.seen).toEqual([]);
    held.open();
    await until(() => (app.seen.length > MESSAGES ? true : undefined));
    expect(app.seen).toEqual(HANDLED);
    socket.destroy();
    await until(() => app.seen.find((line) => line === 'disconnected ada'));
  });

  it('are not read before the decision', async () => {
    const held = holdTokens(app);
    const connected = once(app.server, 'connection') as Promise<[Socket]>;
    const junk = beginOf(2_000_000, 2_000_000);
    const socket = rawSocket(app.port, '/chat', [bearer(token)], junk);
    const [served] = await connected;
    await until(() => (held.asked() > 0 && socket.bytesRead > 0 ? true : undefined));
    await app.request('/v1/api/auth/me');
    expect(served.bytesRead).toBeLessThanOrEqual(128 * 1024);
    socket.destroy();
    held.open();
    await until(() => app.seen.find((line) => line === 'disconnected ada'));
  });

  it('after a first message with the token arrive in their order', async () => {
    const jwt = await messageApp.tokenOf('ada');
    const long = Buffer.from(JSON.stringify({ event: 'kit-auth', data: { token: jwt } }));
    const head = Buffer.from([0x81, 0xfe, long.length >> 8, long.length & 255, 0, 0, 0, 0]);
    const socket = rawSocket(messageApp.port, '/chat', [], Buffer.concat([head, long, flood]));
    await until(() => (messageApp.seen.length > MESSAGES ? true : undefined));
    expect(messageApp.seen).toEqual(HANDLED);
    socket.destroy();
    await until(() => messageApp.seen.find((line) => line === 'disconnected ada'));
  });
});

describe('a flood of silent clients', () => {
  const app = sharedTestApp(new SocketsApp({ sockets: { from: ['header', 'message'], maxWaiting: 4 } }));
  let token: string;

  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });

  it.each([
    ['another network', '127.0.0.2'],
    ['the same network', '127.0.0.1'],
  ])('keeps out no client of %s', async (_, localAddress) => {
    const silent = Array.from({ length: 10 }, () => app.connect(undefined));
    await Promise.all(silent.map((socket) => until(() => socket.isOpen || undefined)));
    const speaker = app.connect(undefined, 'chat', { ws: { localAddress } }) as WsTestSocket;
    await until(() => speaker.isOpen || undefined);
    speaker.send('kit-auth', { token });
    expect(await speaker.ask('who')).toMatchObject({ username: 'ada' });
    const withHeader = await app.connected(token, 'chat', { ws: { localAddress } });
    expect(await withHeader.ask('who')).toMatchObject({ username: 'ada' });
    const ended = silent.flatMap(({ end }) => end ?? []);
    expect(new Set(ended)).toEqual(new Set(['4429 too-many-waiting']));
    app.leaveAll();
  });
});
