import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { WsAdapter } from '@nestjs/platform-ws';
import { AuthManager } from 'kit-auth';
import { bearer, BOTH, type Platform, requestOf, sendUntil, sharedTestApp } from 'test-support';
import { BrowserApp, OWN_PAGE } from './app.js';
import { LiveGateway } from './live.gateway.js';

const HANDSHAKE = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** What the server sends until it closes the connection, or until the text. */
function upgrade(app: BrowserApp, until: string, ...headers: string[]): Promise<string> {
  const request = requestOf('/live', { headers: [...HANDSHAKE, ...headers] }).toString('latin1');
  return sendUntil(
    app.port,
    Buffer.from(request.replace('Connection: close', 'Connection: Upgrade'), 'latin1'),
    until,
  );
}

describe.each(BOTH)('WebSocket upgrades on %s', (platform) => {
  const app = sharedTestApp(
    new BrowserApp(
      { origins: ['https://front.example'] },
      {
        platform,
        providers: [LiveGateway],
        configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
      },
    ),
  );
  let cookie: string;
  beforeAll(async () => {
    cookie = await app.cookieOf(await app.user({ username: 'ada' }));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const reachedGateway = () => jest.spyOn(app.get(AuthManager), 'getLoginUser');

  it('with a cookie and an origin of the application go through', async () => {
    const answer = await upgrade(app, 'Hello ada', `Cookie: ${cookie}`, 'Origin: https://front.example');
    expect(answer).toContain('Hello ada');
  });

  it('without a cookie are left to the gateway', async () => {
    const reached = reachedGateway();
    expect(await upgrade(app, '101', 'Origin: https://evil.example', bearer('x'))).toContain('101');
    await app.request('/v1/notes/published'); // after the gateway
    expect(reached).toHaveBeenCalled();
  });

  it.each([
    ['origin', ['Origin: https://evil.example']],
    ['unknown', []],
  ])('with a cookie are refused with 40302 %s for %j', async (reason, headers) => {
    const reached = reachedGateway();
    const answer = await upgrade(app, 'Hello', `Cookie: ${cookie}`, ...headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ statusCode: 403, code: 40302, error: 'CROSS_ORIGIN', reason });
    expect(reached).not.toHaveBeenCalled();
  });
});

describe.each(BOTH)('an application without WebSockets on %s', (platform: Platform) => {
  it('treats upgrades as ordinary requests, until something listens for them', async () => {
    const app = await new BrowserApp({}, { platform }).start();
    const cookie = `Cookie: ${await app.cookieOf(await app.user())}`;
    expect(await upgrade(app, '404', cookie)).toMatch(/^HTTP\/1\.1 404/);
    const listener = jest.fn((_request: unknown, socket: Duplex) => socket.end('taken'));
    app.server.on('upgrade', listener);
    expect(await upgrade(app, 'taken', cookie, OWN_PAGE)).toBe('taken');
    const connected = once(app.server, 'connection') as Promise<[Duplex]>;
    expect(await upgrade(app, 'taken', cookie)).toMatch(/^HTTP\/1\.1 403/);
    expect(listener).toHaveBeenCalledTimes(1);
    const [socket] = await connected;
    socket.emit('error', new Error('ECONNRESET')); // ends the process where nobody listens
  });
});
