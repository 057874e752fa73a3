import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { bearer, BOTH, sharedTestApp, until } from 'test-support';
import { beginOf, frameOf, holdTokens, rawSocket } from './raw.js';
import { SocketsApp } from './app.js';

const MESSAGES = 1000;
const flood = Buffer.concat(Array.from({ length: MESSAGES }, (_, i) => frameOf({ event: 'who', data: i })));

describe.each(BOTH)('floods of messages on %s', (platform) => {
  const app = sharedTestApp(new SocketsApp({ platform, provider: 'session', sockets: { maxWaiting: 5 } }));
  const messageApp = sharedTestApp(
    new SocketsApp({ platform, sockets: { from: ['message'], firstMessageMs: 300, maxWaiting: 5 } }),
  );
  let token: string;

  beforeAll(async () => {
    await app.user({ username: 'ada' });
    await messageApp.user({ username: 'ada' });
    token = await app.tokenOf('ada');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    app.leaveAll();
    messageApp.leaveAll();
    app.seen.length = 0;
    messageApp.seen.length = 0;
  });

  it('in the packet of the handshake wait for the decision, and none is lost', async () => {
    const held = holdTokens(app);
    const socket = rawSocket(app.port, '/chat', [bearer(token)], flood);
    await until(() => (held.asked() > 0 ? true : undefined));
    await app.request('/v1/api/auth/me'); // a round through the event loop
    expect(app.seen).toEqual([]);
    held.open();
    await until(() => (app.seen.length > MESSAGES ? true : undefined));
    expect(app.seen).toEqual([
      'connected ada',
      ...Array.from({ length: MESSAGES }, (_, i) => `who ${i} ada`),
    ]);
    socket.destroy();
    await until(() => app.seen.find((line) => line === 'disconnected ada'));
  });

  it('reach no handler when the client is refused', async () => {
    const held = holdTokens(app);
    const socket = rawSocket(app.port, '/chat', [bearer(`${token}x`)], flood);
    await until(() => (held.asked() > 0 ? true : undefined));
    held.open();
    const received: Buffer[] = [];
    for await (const chunk of socket) {
      received.push(chunk as Buffer);
    }
    expect(Buffer.concat(received).toString('latin1')).toMatch(/malformed|unknown/);
    expect(app.seen).toEqual([]);
  });

  it('of clients without a decision have a limit, and are not read meanwhile', async () => {
    const held = holdTokens(app);
    const served: Socket[] = [];
    const note = (socket: Socket) => void served.push(socket);
    app.server.on('connection', note);
    const junk = beginOf(8_000_000, 8_000_000);
    const sockets = Array.from({ length: 5 }, () => rawSocket(app.port, '/chat', [bearer(token)], junk));
    await until(() => (held.asked() > 0 ? true : undefined));
    await until(() => (sockets.every(({ bytesRead }) => bytesRead > 0) ? true : undefined));
    expect(await app.connect(token).closed()).toBe('4429 too-many-waiting');
    expect(served.slice(0, 5).every(({ bytesRead }) => bytesRead <= 128 * 1024)).toBe(true);
    app.server.off('connection', note);
    sockets.forEach((socket) => socket.destroy());
    held.open();
    await until(() =>
      app.seen.filter((line) => line === 'disconnected ada').length === 5 ? true : undefined,
    );
    await app.connected(token);
  });

  it('after a first message with the token arrive in their order', async () => {
    const jwt = await messageApp.tokenOf('ada');
    const long = Buffer.from(JSON.stringify({ event: 'kit-auth', data: { token: jwt } }));
    const head = Buffer.from([0x81, 0xfe, long.length >> 8, long.length & 255, 0, 0, 0, 0]);
    const socket = rawSocket(messageApp.port, '/chat', [], Buffer.concat([head, long, flood]));
    await until(() => (messageApp.seen.length > MESSAGES ? true : undefined));
    expect(messageApp.seen).toEqual([
      'connected ada',
      ...Array.from({ length: MESSAGES }, (_, i) => `who ${i} ada`),
    ]);
    socket.destroy();
    await until(() => messageApp.seen.find((line) => line === 'disconnected ada'));
  });

  it('after a first message with a wrong token reach no handler', async () => {
    const first = frameOf({ event: 'kit-auth', data: { token: 'x' } });
    const bad = rawSocket(messageApp.port, '/chat', [], Buffer.concat([first, flood]));
    bad.resume();
    await once(bad, 'close');
    expect(messageApp.seen).toEqual([]);
  });

  it.each([
    ['4401 malformed', { event: 'who' }],
    ['4401 malformed', { event: 'kit-auth' }],
    ['4401 malformed', { event: 'kit-auth', data: { token: 4711 } }],
    ['4401 malformed', { event: 'kit-auth', data: { token: 'x'.repeat(12_289) } }],
    ['4401 malformed', [1]],
    ['4401 malformed', null],
  ])('end with %s for such a first message', async (end, message) => {
    const client = messageApp.connect(undefined);
    await until(() => client.isOpen || undefined);
    (client as unknown as { client: { send(text: string): void } }).client.send(JSON.stringify(message));
    expect(await client.closed()).toBe(end);
  });

  it('end with 4408 where the first message does not come', async () => {
    expect(await messageApp.connect(undefined).closed()).toBe('4408 too-late');
    expect(await messageApp.connect(await messageApp.tokenOf('ada')).closed()).toBe('4408 too-late');
  });

  it.each([
    ['with their first message', '4401 malformed', () => messageApp],
    ['when they are refused', '4401 missing', () => app],
  ])('are not collected %s', async (_, end, appOf) => {
    const connected = once(appOf().server, 'connection') as Promise<[Socket]>;
    const size = 50_000_000;
    const socket = rawSocket(appOf().port, '/chat', [], beginOf(size, size - 1));
    const [served] = await connected;
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    await until(() => socket.closed || undefined);
    expect(Buffer.concat(received).toString('latin1')).toContain(end.slice(5));
    expect(served.bytesRead).toBeLessThan(2_000_000);
  });
});
