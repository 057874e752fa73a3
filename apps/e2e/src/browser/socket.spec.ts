import { expect, it, jest } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { type OnGatewayConnection, WebSocketGateway } from '@nestjs/websockets';
import { AuthException, AuthManager, TOKEN_TRANSPORT, type TokenTransport } from 'kit-auth';
import { transportRequestOf } from 'kit-auth/extend';
import { createAuthClient } from 'kit-auth-browser/client';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, PASSWORD, until } from 'test-support';
import { WebSocket as WsSocket } from 'ws';
import { BrowserApp, sentBack } from './app.js';

/** Checks the token when a socket connects, and with each message. */
@WebSocketGateway({ path: '/live' })
class CheckedGateway implements OnGatewayConnection {
  constructor(
    private readonly auth: AuthManager,
    @Inject(TOKEN_TRANSPORT) private readonly transport: TokenTransport,
  ) {}

  async handleConnection(client: WsSocket, upgrade: IncomingMessage) {
    const check = async (): Promise<void> => {
      try {
        const { username } = await this.auth.getLoginUser(
          this.transport.read(transportRequestOf(upgrade)!) ?? '',
        );
        client.send(`Hello ${username}`);
      } catch (error) {
        const { reason = '' } = (error as AuthException).getResponse() as { reason?: string };
        client.close(4401, reason);
      }
    };
    client.on('message', () => void check());
    await check();
  }
}

it('a socket of the client for pages refreshes when the token has expired, and connects again', async () => {
  const app = await new BrowserApp(
    {},
    {
      imports: [KitAuthRefreshModule],
      providers: [CheckedGateway],
      configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
    },
  ).start();
  await app.user({ username: 'ada' });
  const origin = `http://127.0.0.1:${app.port}`;
  let cookie = '';
  let refreshes = 0;
  // What a browser does for the page.
  const page = {
    location: new URL(origin),
    localStorage: {},
    addEventListener: () => undefined,
    WebSocket: class extends WsSocket {
      constructor(url: string) {
        super(url, { headers: { Cookie: cookie, Origin: origin } });
        this.onerror = () => undefined;
      }
    },
  };
  Object.assign(globalThis, page);
  const send = globalThis.fetch;
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    refreshes += Number(request.url.endsWith('token/refresh'));
    request.headers.set('Cookie', cookie);
    request.headers.set('Sec-Fetch-Site', 'same-origin');
    const answer = await send(request);
    cookie = sentBack({ cookies: answer.headers.getSetCookie() } as never) || cookie;
    return answer;
  });
  jest.spyOn(Math, 'random').mockImplementation(() => 1 - performance.now() / 1e12); // the shortest delays
  try {
    const advance = freezeDate();
    const ends: string[] = [];
    const auth = createAuthClient({ onEnd: (reason) => ends.push(reason) });
    await auth.login({ username: 'ada', password: PASSWORD });
    const heard: unknown[] = [];
    const socket = auth.socket('/live');
    socket.onmessage = ({ data }) => heard.push(data);
    socket.onclose = ({ code }) => heard.push(`closed ${code}`);
    const hears = (count: number) => until(() => (heard.length >= count ? true : undefined));
    await hears(1);
    advance(11 * 60_000);
    socket.send('still here?');
    await hears(2);
    socket.send('still here?');
    await hears(3);
    expect([heard, refreshes, ends]).toEqual([Array(3).fill('Hello ada'), 1, []]);
    socket.close();
    await hears(4);
    expect(heard.at(-1)).toBe('closed 1005');
  } finally {
    Object.keys(page).forEach((name) => Reflect.deleteProperty(globalThis, name));
  }
});
