import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketGateway } from '@nestjs/websockets';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { bearer, BOTH, pairsOf, sharedTestApp, until } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp, WsTestSocket } from './app.js';
import { rawSocket } from './raw.js';

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

describe('a gateway on a port of its own', () => {
  it('obeys the origin rule, without the guard of upgrades', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');

    @WebSocketGateway(port)
    class OwnPortGateway extends Chatting {}
    const app = await new SocketsApp({
      provider: 'session',
      imports: [KitAuthBrowserModule],
      providers: [OwnPortGateway],
    }).start();
    const user = await app.user();
    const Cookie = sentBack(await app.login(user.username, undefined, OWN_PAGE));
    const endOf = async (headers: Record<string, string>) => {
      const socket = new WsTestSocket(`ws://127.0.0.1:${port}/`, undefined, {
        headers: { Cookie, ...headers },
      });
      const end = await Promise.race([socket.opened().then(() => 'open'), socket.closed()]).catch(
        () => socket.end,
      );
      socket.leave();
      return end;
    };
    expect(await endOf({ Origin: `http://127.0.0.1:${port}` })).toBe('open');
    expect(await endOf({ Origin: 'https://evil.example' })).toBe('4403 origin');
    expect(await endOf({ Origin: 'null' })).toBe('4403 origin');
    expect(await endOf({})).toBe('4403 unknown');
    expect(await endOf({ Origin: `http://127.0.0.1:${app.port}` })).toBe('4403 origin');
    const twice = rawSocket(
      port,
      '/',
      [`Cookie: ${Cookie}; ${Cookie}`, OWN_PAGE, bearer('x')],
      Buffer.alloc(0),
    );
    let text = '';
    twice.on('data', (chunk) => (text += String(chunk)));
    await until(() => (/malformed|unknown|token/.test(text) ? true : undefined));
    twice.destroy();
  });
});
