import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WsAdapter } from '@nestjs/platform-ws';
import { OnGatewayConnection, WebSocketGateway } from '@nestjs/websockets';
import { bearer, BOTH, requestOf, sendUntil, sharedTestApp } from 'test-support';
import WebSocket from 'ws';
import { BrowserApp, OWN_PAGE } from './browser-app.js';

const connections: string[] = [];

@WebSocketGateway({ path: '/live' })
class LiveGateway implements OnGatewayConnection {
  handleConnection(_client: WebSocket, { headers }: { headers: Record<string, string> }) {
    connections.push(headers['origin'] ?? 'none');
  }
}

const HANDSHAKE = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

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
    cookie = await app.cookieOf(await app.user());
  });
  beforeEach(() => {
    connections.length = 0;
  });
  const upgrade = async (...headers: string[]) => {
    const request = requestOf('/live', { headers: [...HANDSHAKE, ...headers] });
    const text = request.toString('latin1').replace('Connection: close', 'Connection: Upgrade');
    return sendUntil(app.port, Buffer.from(text, 'latin1'), 'HTTP/1.1 101');
  };

  it.each([['Origin: http://localhost'], ['Origin: https://front.example'], ['Sec-Fetch-Site: same-origin']])(
    'with a cookie and %s go through',
    async (header) => {
      expect(await upgrade(`Cookie: ${cookie}`, header)).toContain('101 Switching Protocols');
      expect(connections.length).toBe(1);
    },
  );

  it('without a cookie, or with a token header, go through', async () => {
    expect(await upgrade('Origin: https://evil.example')).toContain('101');
    expect(await upgrade('Origin: https://evil.example', 'Cookie: other=1')).toContain('101');
    expect(await upgrade('Origin: https://evil.example', `Cookie: ${cookie}`, bearer('x'))).toContain('101');
    expect(connections.length).toBe(3);
  });

  it.each([
    ['origin', ['Origin: https://evil.example']],
    ['origin', ['Origin: null']],
    ['origin', ['Origin: http://localhost:8080']],
    ['origin', ['Origin: http://localhost', 'Origin: http://localhost']],
    ['same-site', ['Origin: http://sub.localhost', 'Sec-Fetch-Site: same-site']],
    ['unknown', []],
  ])('with a cookie are refused with 40302 %s for %j', async (reason, headers) => {
    const answer = await upgrade(`Cookie: ${cookie}`, ...headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ statusCode: 403, code: 40302, error: 'CROSS_ORIGIN', reason });
    expect(connections).toEqual([]);
  });

  it('with a cookie twice are refused', async () => {
    const answer = await upgrade(`Cookie: ${cookie}; ${cookie}`, 'Origin: http://localhost');
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*"code":40101/s);
    expect(connections).toEqual([]);
  });

  it('are refused for a client as well, and for listeners that come later', async () => {
    const client = new WebSocket(`ws://127.0.0.1:${app.port}/live`, {
      headers: { cookie, origin: 'https://evil.example' },
    });
    const status = await new Promise((resolve) => {
      client
        .on('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
        .on('error', resolve);
    });
    expect(status).toBe(403);
  });
});

describe.each(BOTH)('an application without WebSockets on %s', (platform) => {
  it('treats upgrades as ordinary requests', async () => {
    const app = await new BrowserApp({}, { platform }).start();
    const cookie = await app.cookieOf(await app.user());
    const { status } = await app.request('/v1/notes', {
      headers: [...HANDSHAKE, `Cookie: ${cookie}`, OWN_PAGE],
    });
    expect(status).toBe(200);
  });
});
