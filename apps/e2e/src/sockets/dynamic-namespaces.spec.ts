import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { Public } from 'kit-auth';
import { sharedTestApp, until } from 'test-support';
import type { Namespace, Server } from 'socket.io';
import { type IoTestSocket, SocketsApp } from './app.js';

const ONE_TRANSPORT = { io: { transports: ['websocket'] } };

type Parent = Namespace & { readonly children: Set<Namespace>; readonly server: Server };

/** Has a middleware of its own, which waits for the clients that say so. */
@WebSocketGateway({ namespace: /^\/hall-\d+$/ })
class Halls {
  @WebSocketServer() server!: Parent;
  readonly waiting: (() => void)[] = [];

  afterInit(server: Parent): void {
    setImmediate(() =>
      server.use(({ handshake }, next) =>
        handshake.auth['waits'] === true ? void this.waiting.push(next) : next(),
      ),
    );
  }
}

@WebSocketGateway({ namespace: /^\/street-\d+$/ })
@Public()
class Streets {
  @WebSocketServer() server!: Parent;
}

describe('dynamic namespaces', () => {
  const app = sharedTestApp(new SocketsApp({ adapter: 'socket.io', providers: [Halls, Streets] }));
  let token: string;

  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });
  afterEach(() => app.leaveAll());

  const halls = () => [...app.get(Halls).server.children].map(({ name }) => name);
  const streets = () => [...app.get(Streets).server.children].map(({ name }) => name);
  const namespaces = () => [...app.get(Halls).server.server._nsps.keys()];

  /** A connection without a user, which is in a namespace that is open. */
  async function anonymous(): Promise<IoTestSocket['client']> {
    return ((await app.connected(undefined, 'open', ONE_TRANSPORT)) as IoTestSocket).client;
  }

  it('are forgotten once all clients are refused that asked for them', async () => {
    const before = namespaces();
    const { io } = await anonymous();
    const ends: unknown[] = [];
    for (let i = 0; i < 50; i++) {
      io.socket(`/hall-${i}`).on('connect_error', (error) => ends.push(error));
    }
    await until(() => (ends.length === 50 ? true : undefined));
    expect([namespaces(), halls()]).toEqual([before, []]);
  });

  it('are forgotten once their last client has left', async () => {
    const [first, second] = [await app.connected(token, 'hall-1'), await app.connected(token, 'hall-1')];
    first.leave();
    await until(() => ([...app.get(Halls).server.children][0]?.sockets.size === 1 ? true : undefined));
    expect(namespaces()).toContain('/hall-1');
    second.leave();
    await until(() => (halls().length === 0 ? true : undefined));
    expect(namespaces()).not.toContain('/hall-1');
  });

  it('stay while a client waits to be admitted, whoever is refused meanwhile', async () => {
    const gateway = app.get(Halls);
    const waiting = app.connect(token, 'hall-2', { io: { auth: { token, waits: true } } });
    await until(() => gateway.waiting[0]);
    expect(await app.connect(undefined, 'hall-2').closed()).toBe('40100');
    gateway.waiting.splice(0).forEach((next) => next());
    await waiting.opened();
    const other = await app.connected(token, 'hall-2');
    gateway.server.server.of('/hall-2').emit('news', 'for all');
    expect([await waiting.next('news'), await other.next('news')]).toEqual(['for all', 'for all']);
  });

  it('stay if the application has created them', async () => {
    const { server } = app.get(Halls).server;
    const own = server.of('/hall-3');
    expect(await app.connect(undefined, 'hall-3').closed()).toBe('40100');
    expect(server.of('/hall-3') === own).toBe(true);
  });

  it('are at most 100 on one connection', async () => {
    const { io } = await anonymous();
    const ends: string[] = [];
    for (let i = 0; i < 120; i++) {
      io.socket(`/street-${i}`)
        .on('connect', () => ends.push('connected'))
        .on('connect_error', ({ data }: Error & { data?: { reason?: string } }) =>
          ends.push(`${data?.reason}`),
        );
    }
    await until(() => (ends.length === 120 ? true : undefined));
    expect(ends.filter((end) => end === 'connected')).toHaveLength(99); // and the first one
    expect(new Set(ends)).toEqual(new Set(['connected', 'too-many-sockets']));
    expect(streets()).toHaveLength(99);
  });

  it('close a connection that is refused for the hundredth time', async () => {
    const { io } = await anonymous();
    const { engine } = io;
    let closed = false;
    engine.on('close', () => (closed = true));
    let refused = 0;
    engine.on('packet', ({ data }: { data?: unknown }) => {
      refused += String(data).startsWith('4/') ? 1 : 0;
    });
    for (let i = 0; i < 300; i++) {
      engine.send(`0/hall-${i},`);
    }
    await until(() => closed || undefined);
    expect(refused).toBeLessThanOrEqual(100);
    await until(() => (namespaces().some((name) => /hall-(?!3$)/.test(name)) ? undefined : true));
  });
});
