import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { type OnGatewayConnection, WebSocketGateway } from '@nestjs/websockets';
import { AuthException, AuthManager, TOKEN_TRANSPORT, type TokenTransport } from 'kit-auth';
import { transportRequestOf } from 'kit-auth/extend';
import { createAuthClient } from 'kit-auth-browser/client';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { freezeDate, PASSWORD, until } from 'test-support';
import { WebSocket as WsSocket } from 'ws';
import { BrowserApp, sentBack } from './app.js';

/** Checks the token when a socket connects, and with each message. */
@WebSocketGateway({ path: '/live' })
class CheckedGateway implements OnGatewayConnection {
  readonly open = new Set<WsSocket>();

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
    this.open.add(client);
    client.on('close', () => this.open.delete(client));
    client.on('message', () => void check());
    await check();
  }
}

describe('a socket of the client for pages', () => {
  let app: BrowserApp;
  let cookie: string;
  let refreshes: number;
  let ends: string[];
  beforeEach(async () => {
    [cookie, refreshes, ends] = ['', 0, []];
    app = new BrowserApp(
      {},
      {
        imports: [KitAuthRefreshModule],
        providers: [CheckedGateway],
        configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
      },
    );
    await app.start();
    await app.user({ username: 'ada' });
    const origin = `http://127.0.0.1:${app.port}`;
    // What a browser does for the page.
    Object.assign(globalThis, {
      location: new URL(origin),
      localStorage: {},
      addEventListener: () => undefined,
      WebSocket: class extends WsSocket {
        constructor(url: string) {
          super(url, { headers: { Cookie: cookie, Origin: origin } });
          this.onerror = () => undefined;
        }
      },
    });
    const send = globalThis.fetch;
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      refreshes += Number(request.url.endsWith('token/refresh'));
      request.headers.set('Cookie', cookie);
      request.headers.set('Sec-Fetch-Site', 'same-origin');
      const answer = await send(request);
      const set = sentBack({ cookies: answer.headers.getSetCookie() } as never);
      cookie = set === '' ? cookie : set;
      return answer;
    });
    jest.spyOn(Math, 'random').mockImplementation(() => 1 - performance.now() / 1e12); // the shortest delays
  });
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await app.close();
    for (const name of ['location', 'localStorage', 'addEventListener', 'WebSocket']) {
      Reflect.deleteProperty(globalThis, name);
    }
  });

  async function connected() {
    const auth = createAuthClient({ onEnd: (reason) => ends.push(reason) });
    await auth.login({ username: 'ada', password: PASSWORD });
    const heard: unknown[] = [];
    const socket = auth.socket('/live');
    socket.onmessage = ({ data }) => heard.push(data);
    socket.onclose = ({ code, reason }) => heard.push(`closed ${code} ${reason}`);
    const hears = (count: number) => until(() => (heard.length >= count ? true : undefined));
    await hears(1);
    return { auth, socket, heard, hears };
  }

  it('refreshes when the token has expired, and connects again', async () => {
    const advance = freezeDate();
    const { socket, heard, hears } = await connected();
    socket.send('still here?');
    await hears(2);
    advance(11 * 60_000);
    socket.send('still here?');
    await hears(3);
    socket.send('still here?');
    await hears(4);
    expect([heard, refreshes, ends]).toEqual([Array(4).fill('Hello ada'), 1, []]);
    socket.close();
    await hears(5);
    expect(heard.at(-1)).toMatch(/^closed 1005/);
  });

  it('connects again after the connection was lost, without a refresh', async () => {
    const { socket, heard, hears } = await connected();
    app.get(CheckedGateway).open.forEach((client) => client.terminate());
    await hears(2);
    expect([heard, refreshes, ends]).toEqual([['Hello ada', 'Hello ada'], 0, []]);
    socket.close();
    await hears(3);
  });

  it('stays closed when the login is over, and says why', async () => {
    const advance = freezeDate();
    const { socket, heard, hears } = await connected();
    await app.users.update({ username: 'ada' }, { status: AuthUserStatus.DISABLED });
    advance(11 * 60_000);
    socket.send('still here?');
    await hears(2);
    expect([heard.at(-1), refreshes, ends]).toEqual(['closed 4401 expired', 1, ['disabled']]);
    expect(app.get(CheckedGateway).open.size).toBe(0);
  });
});
