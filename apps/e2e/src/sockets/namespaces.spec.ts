import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { sharedTestApp, testApp, until } from 'test-support';
import type { Namespace, Server, ServerOptions, Socket } from 'socket.io';
import type { AuthSocketMessage } from 'kit-auth';
import { KitAuthSocketsModule, type KitAuthSocketsOptions } from 'kit-auth-sockets';
import { type IoTestSocket, SocketsApp } from './app.js';
import { RoomNamespaces } from './gateways.js';

/** While long polling becomes a WebSocket, a connection has other listeners. */
const NO_UPGRADE = { io: { transports: ['websocket'] } };

/** Has a middleware of its own, which waits. */
@WebSocketGateway({ namespace: 'slow' })
class SlowNamespace {
  @WebSocketServer() server!: Namespace;
  waiting: (() => void)[] = [];

  afterInit(server: Namespace): void {
    // After ours, as in an application that adds it later.
    setImmediate(() => server.use((_client, next) => void this.waiting.push(next)));
  }
}

class CorsAdapter extends IoAdapter {
  override createIOServer(port: number, options?: ServerOptions): Server {
    const open = { ...options, cors: { origin: true, credentials: true } };
    return super.createIOServer(port, open as ServerOptions);
  }
}

describe('namespaces of socket.io', () => {
  const app = sharedTestApp(
    new SocketsApp({ adapter: 'socket.io', provider: 'session', providers: [SlowNamespace, RoomNamespaces] }),
  );
  let userId: number;

  beforeAll(async () => {
    ({ id: userId } = await app.user({ username: 'ada' }));
  });
  afterEach(() => app.leaveAll());

  it('need a token in the root namespace, also where no gateway has it', async () => {
    expect(await app.connect(undefined, '').closed()).toMatch(/^40100/);
    const token = await app.tokenOf('ada');
    const socket = await app.connected(token, '');
    await app.call(token, 'POST', 'logout');
    expect(await socket.closed()).toBe('4401 logged-out');
  });

  it('can be many on one connection, left and joined again, with one listener for them', async () => {
    const token = await app.tokenOf('ada');
    const joined = (count: number) =>
      until(() => (app.registry.ofUser(userId).length === count ? true : undefined));
    const { client: socket } = (await app.connected(token, 'chat', NO_UPGRADE)) as IoTestSocket;
    const { conn } = app.registry.ofUser(userId)[0]?.client as Socket;
    const listeners = conn.listenerCount('close');
    for (let i = 0; i < 12; i++) {
      socket.io.socket(`/room-${i}`, { auth: { token } });
    }
    await joined(13);
    for (let i = 0; i < 12; i++) {
      socket.io.engine.send('1/chat,');
      await joined(12);
      socket.io.engine.send(`0/chat,${JSON.stringify(socket.auth)}`);
      await joined(13);
    }
    expect(conn.listenerCount('close')).toBe(listeners);
    socket.io.engine.close();
    await joined(0);
  });

  it('keep no client whose login ends between the handshake and a middleware of the application', async () => {
    const token = await app.tokenOf('ada');
    const socket = app.connect(token, 'slow');
    const gateway = app.get(SlowNamespace);
    await until(() => gateway.waiting[0]);
    await app.call(token, 'POST', 'logout');
    await until(() => (app.registry.ofUser(userId).length === 0 ? true : undefined));
    gateway.waiting.splice(0).forEach((next) => next());
    expect(await socket.closed()).toBe('4401 logged-out');
    gateway.server.emit('news', 'secret');
    await until(() => (gateway.server.sockets.size === 0 ? true : undefined));
    expect(socket.messages).toEqual([]);
  });

  it('report each client that comes, and each that goes', async () => {
    const seen: AuthSocketMessage[] = [];
    const note = (message: unknown) => void seen.push(message as AuthSocketMessage);
    subscribe('kit-auth:socket', note);
    const sockets = [
      await app.connected(undefined, 'open'),
      await app.connected(await app.tokenOf('ada')),
      app.connect('wrong'),
    ];
    await sockets[2]?.closed();
    app.leaveAll();
    await until(() => (seen.length === 5 ? true : undefined));
    unsubscribe('kit-auth:socket', note);
    const outcomes = ['closed', 'closed', 'opened', 'opened', 'refused'];
    expect(seen.map(({ outcome }) => outcome).sort()).toEqual(outcomes);
  });
});

describe('cors of socket.io that lets every site in', () => {
  @WebSocketGateway({ namespace: 'x', cors: { origin: true, credentials: true } })
  class OpenCors {}
  const start = (sockets?: KitAuthSocketsOptions) =>
    new SocketsApp({
      adapter: 'socket.io',
      ...(sockets && { sockets }),
      configure: (nest) => nest.useWebSocketAdapter(new CorsAdapter(nest)),
    }).start();

  it('is a start-up error with cookies, whoever sets it', async () => {
    const message = /cors.*kit\.auth\.sockets\.from/s;
    const decorated = testApp({ imports: [KitAuthSocketsModule], providers: [OpenCors] });
    await expect(decorated).rejects.toThrow(message);
    await expect(start()).rejects.toThrow(message);
    const app = await start({ from: ['header', 'auth'], gateways: 'decorated' });
    await app.connected(undefined, ''); // the root is open where decorators decide
    await app.close();
  });
});

describe('connectionStateRecovery of socket.io', () => {
  class RecoveringAdapter extends IoAdapter {
    override createIOServer(port: number, options?: ServerOptions): Server {
      return super.createIOServer(port, { ...options, connectionStateRecovery: {} } as ServerOptions);
    }
  }

  @WebSocketGateway({ connectionStateRecovery: {} })
  class RecoveringGateway {}

  @WebSocketGateway({ namespace: 'news' })
  class News {}

  it.each([
    ['the adapter', News, (nest: INestApplication) => nest.useWebSocketAdapter(new RecoveringAdapter(nest))],
    ['a gateway', RecoveringGateway, () => undefined],
  ])(
    'is a start-up error that says what to do instead, with the option of %s',
    async (_, gateway, configure) => {
      const starting = testApp({ imports: [KitAuthSocketsModule], providers: [gateway], configure });
      await expect(starting).rejects.toThrow(
        /connectionStateRecovery.*Remove the option.*handleConnection\(\)/,
      );
    },
  );
});
