import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { RequireRoles } from 'kit-auth';
import { sharedTestApp, until } from 'test-support';
import type { ServerOptions, Server } from 'socket.io';
import { type IoTestSocket, SocketsApp, type TestSocket } from './app.js';

class RecoveringAdapter extends IoAdapter {
  override createIOServer(port: number, options?: ServerOptions): Server {
    const recovering = { ...options, connectionStateRecovery: { maxDisconnectionDuration: 60_000 } };
    return super.createIOServer(port, recovering as ServerOptions);
  }
}

class News {
  @WebSocketServer() server!: Pick<Server, 'emit' | 'fetchSockets'>;

  @SubscribeMessage('who')
  who() {
    return { event: 'who', data: 'here' };
  }
}

@WebSocketGateway()
class RootNews extends News {}

@WebSocketGateway({ namespace: 'news' })
class NewsNamespace extends News {}

@WebSocketGateway({ namespace: 'editors' })
@RequireRoles('editor')
class EditorNews extends News {}

const GATEWAYS = { '': RootNews, news: NewsNamespace, editors: EditorNews };

describe('connectionStateRecovery', () => {
  const app = sharedTestApp(
    new SocketsApp({
      adapter: 'socket.io',
      provider: 'session',
      admin: true,
      providers: Object.values(GATEWAYS),
      configure: (nest) => nest.useWebSocketAdapter(new RecoveringAdapter(nest)),
    }),
  );
  const leftovers: TestSocket[] = [];

  beforeAll(() => app.role({ code: 'editor' }));
  afterEach(() => leftovers.splice(0).forEach((client) => client.leave()));

  /** A client that has lost its connection and missed an event; `again()` lets it come back. */
  async function lostIn(name: keyof typeof GATEWAYS) {
    const user = await app.user({ roles: ['editor'] });
    const token = await app.tokenOf(user);
    const gateway = app.get(GATEWAYS[name]);
    const socket = await app.connected(token, name);
    leftovers.push(socket);
    const { client } = socket as IoTestSocket;
    gateway.server.emit('news', 'seen');
    expect(await socket.next('news')).toBe('seen');
    await socket.ask('who');
    client.io.engine.close();
    await until(() => (client.connected ? undefined : true));
    await until(() => (app.registry.ofUser(user.id).length === 0 ? true : undefined));
    gateway.server.emit('news', 'secret');
    socket.end = undefined;
    socket.isOpen = false;
    const again = async () => {
      client.connect();
      await until(() => (socket.isOpen || socket.end !== undefined ? true : undefined));
      return socket.end ?? (client.recovered ? 'recovered' : 'new');
    };
    // The library keeps events that come before the decision.
    const missed = () => [...socket.messages, ...client.receiveBuffer];
    return { user, token, socket, client, again, missed };
  }

  it.each(['', 'news'] as const)('gives a client of "%s" what it has missed', async (name) => {
    const { user, socket, again } = await lostIn(name);
    expect(await again()).toBe('recovered');
    expect(await socket.next('news')).toBe('secret');
    expect(await socket.ask('who')).toBe('here');
    expect(app.registry.ofUser(user.id)).toHaveLength(1);
  });

  type Lost = Awaited<ReturnType<typeof lostIn>>;
  it.each<[what: string, name: keyof typeof GATEWAYS, end: string, change: (lost: Lost) => unknown]>([
    ['after a logout', 'news', '40101 logged-out', ({ token }) => app.call(token, 'POST', 'logout')],
    ['in the root after a logout', '', '40101 logged-out', ({ token }) => app.call(token, 'POST', 'logout')],
    ['without a token', 'news', '40100', ({ client }) => (client.auth = {})],
    [
      'of another user',
      'news',
      'new',
      async ({ client }) => (client.auth = { token: await app.tokenOf(await app.user()) }),
    ],
    [
      'without the role of the gateway',
      'editors',
      '40300',
      async ({ user }) => app.call(await app.adminToken(), 'PUT', `users/${user.id}/roles`, { roles: [] }),
    ],
  ])('gives nothing to a client that comes back %s', async (_, name, end, change) => {
    const lost = await lostIn(name);
    await change(lost);
    expect([await lost.again(), lost.missed()]).toEqual([end, []]);
  });

  it('gives nothing to a client that the server has closed', async () => {
    const { user, token, socket, client, again, missed } = await lostIn('news');
    expect(await again()).toBe('recovered');
    await socket.next('news');
    await app.registry.close(app.registry.ofUser(user.id));
    await socket.closed();
    await until(() => (client.connected ? undefined : true));
    app.get(NewsNamespace).server.emit('news', 'secret');
    socket.end = undefined;
    socket.isOpen = false;
    client.auth = { token };
    expect(await again()).toBe('new');
    expect(missed()).toEqual([]);
  });
});
