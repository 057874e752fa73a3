import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketGateway } from '@nestjs/websockets';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { bearer, BOTH, pairsOf, sharedTestApp, testApp, until } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp, WsTestSocket } from './app.js';
import { rawSocket } from './raw.js';

const FRONT = 'https://front.example';
const ADAPTERS = ['ws', 'socket.io'] as const satisfies readonly Adapter[];

/** Headers of pages, and whether they may use the cookie. */
const PAGES: [boolean, Record<string, string>][] = [
  [true, { Origin: FRONT }],
  [true, { 'Sec-Fetch-Site': 'same-origin' }],
  [false, {}],
  [false, { Origin: 'https://evil.example' }],
  [false, { Origin: 'null' }],
  [false, { Origin: `${FRONT}.evil.example` }],
  [false, { Origin: `${FRONT}:444` }],
  [false, { Origin: FRONT.replace('https', 'http') }],
  [false, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  [false, { Origin: 'http://sub.127.0.0.1', 'Sec-Fetch-Site': 'same-site' }],
];

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

  it.each(PAGES)('%s for a page with %j', async (isOwn, headers) => {
    for (const transports of adapter === 'ws' ? [[]] : [['polling'], ['websocket']]) {
      app.seen.length = 0;
      const options = { headers: { Cookie: cookie, ...headers }, io: { transports } };
      const socket = app.connect(undefined, 'chat', options);
      if (isOwn) {
        await socket.opened();
        expect(await socket.ask('who')).toMatchObject({ username: 'ada' });
      } else {
        // Upgrades are refused before the handshake: with 403, of which socket.io tells "websocket error".
        expect(await socket.closed()).toMatch(
          /^4403 (origin|cross-site|same-site|unknown)$|^40302|403|websocket error/,
        );
        expect(app.seen.filter((line) => line.startsWith('connected'))).toEqual([]);
      }
    }
  });

  it('count for nothing where the cookie is switched off, or another place is asked for', async () => {
    const headers = { Cookie: cookie, Origin: 'https://evil.example' };
    const other = await new SocketsApp({
      platform,
      adapter,
      provider: 'session',
      imports: [KitAuthBrowserModule],
      sockets: { from: ['header'] },
    }).start();
    const own = { Cookie: cookie, Origin: `http://127.0.0.1:${other.port}` };
    expect(await other.connect(undefined, 'chat', { headers: own }).closed()).toMatch(/missing|40100/);
    expect(await other.connect(undefined, 'chat', { headers }).closed()).not.toBe(undefined);
    await other.close();
  });
});

describe.each(BOTH)('a gateway on a port of its own on %s', (platform) => {
  it('obeys the origin rule, without the guard of upgrades', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');

    @WebSocketGateway(port)
    class OwnPortGateway extends Chatting {}
    const app = await new SocketsApp({
      platform,
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

describe('a module of sockets', () => {
  it('does not start with places that are none', async () => {
    const { KitAuthSocketsModule } = await import('kit-auth-sockets');
    for (const from of [[], ['query'], 'header', [1]]) {
      const imports = [KitAuthSocketsModule.forRoot({ from: from as never })];
      await expect(testApp({ imports })).rejects.toThrow(/kit\.auth\.sockets\.from/);
    }
  });
});
