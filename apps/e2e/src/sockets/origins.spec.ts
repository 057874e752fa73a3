import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocketGateway } from '@nestjs/websockets';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { BOTH, freePorts, pairsOf, sharedTestApp } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp, WsTestSocket } from './app.js';

const FRONT = 'https://front.example';
const ADAPTERS = ['ws', 'socket.io'] as const satisfies readonly Adapter[];

describe.each(pairsOf(BOTH, ADAPTERS))('cookies at handshakes on %s with %s', (platform, adapter) => {
  const app = sharedTestApp(
    new SocketsApp({
      platform,
      adapter,
      provider: 'session',
      imports: [KitAuthBrowserModule.forRoot({ origins: [FRONT] })],
    }),
  );
  let cookie: string;
  beforeAll(async () => {
    const user = await app.user({ username: 'ada' });
    cookie = sentBack(await app.login(user.username, undefined, OWN_PAGE));
  });
  afterEach(() => app.leaveAll());

  it.each(['websocket', 'polling'].slice(0, adapter === 'ws' ? 1 : 2))(
    'admit the own pages only, with %s',
    async (transport) => {
      const from = (headers: Record<string, string>) => {
        app.seen.length = 0;
        const options = { headers: { Cookie: cookie, ...headers }, io: { transports: [transport] } };
        return app.connect(undefined, 'chat', options);
      };
      const own = await from({ Origin: FRONT }).opened();
      expect(await own.ask('who')).toMatchObject({ username: 'ada' });
      for (const headers of [{ Origin: 'https://evil.example' }, {}]) {
        // Upgrades are refused before the handshake: with 403, of which socket.io tells "websocket error".
        expect(await from(headers).closed()).toMatch(/^4403 (origin|unknown)$|^40302|403|websocket error/);
        expect(app.seen.filter((line) => line.startsWith('connected'))).toEqual([]);
      }
    },
  );
});

it('a gateway on a port of its own obeys the origin rule, without the guard of upgrades', async () => {
  const port = (await freePorts(1))[0]!;
  @WebSocketGateway(port)
  class OwnPortGateway extends Chatting {}
  const app = await new SocketsApp({
    provider: 'session',
    imports: [KitAuthBrowserModule],
    providers: [OwnPortGateway],
  }).start();
  const user = await app.user();
  const Cookie = sentBack(await app.login(user.username, undefined, OWN_PAGE));
  const from = (headers: Record<string, string>) =>
    new WsTestSocket(`ws://127.0.0.1:${port}/`, undefined, { headers: { Cookie, ...headers } });
  const own = await from({ Origin: `http://127.0.0.1:${port}` }).opened();
  own.leave();
  expect(await from({ Origin: `http://127.0.0.1:${app.port}` }).closed()).toBe('4403 origin');
  expect(await from({}).closed()).toBe('4403 unknown');
});
