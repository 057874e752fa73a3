import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { AUTH_BUS, type AuthBus } from 'kit-auth';
import { createClient } from 'redis';
import {
  CloseRace,
  freezeDate,
  freePorts,
  RedisServer,
  SERVERS,
  sharedDatabase,
  sharedTestApp,
  until,
} from 'test-support';
import { SocketsApp } from './app.js';

/** A bus over Redis that loses what it cannot deliver. */
class TestBus implements AuthBus {
  private readonly publisher;
  private readonly subscriber;

  constructor(port: number) {
    const connect = () =>
      createClient({
        socket: { port, host: '127.0.0.1', reconnectStrategy: 20 },
        disableOfflineQueue: true,
      }).on('error', () => undefined);
    this.publisher = connect();
    this.subscriber = connect();
  }

  get isUp(): boolean {
    return this.publisher.isReady && this.subscriber.isReady;
  }

  async open(): Promise<void> {
    await Promise.all([this.publisher.connect(), this.subscriber.connect()]);
  }

  publish(channel: string, text: string): void {
    this.publisher.publish(channel, text).catch(() => undefined);
  }

  subscribe(channel: string, listener: (text: string) => void): void {
    void this.subscriber.subscribe(channel, listener);
  }

  close(): void {
    this.publisher.destroy();
    this.subscriber.destroy();
  }
}

describe.each(SERVERS)('two instances on %s', (name) => {
  describe.each([true, false])('with a bus: %s', (hasBus) => {
    const database = sharedDatabase(name);
    const buses: TestBus[] = [];
    let redis: RedisServer;

    beforeAll(async () => {
      await database.recreate();
      const [port] = (await freePorts(1)) as [number];
      redis = new RedisServer(port);
      await redis.start();
    });
    const instance = (synchronize: boolean) =>
      sharedTestApp(
        new SocketsApp({
          session: { store: 'database' },
          database: { ...database.options, synchronize } as never,
          providers: hasBus
            ? [
                {
                  provide: AUTH_BUS,
                  useFactory: async () => {
                    const bus = new TestBus(redis.port);
                    await bus.open();
                    buses.push(bus);
                    return bus;
                  },
                },
              ]
            : [],
        }),
      );
    const here = instance(true);
    const there = instance(false);
    afterAll(async () => {
      buses.forEach((bus) => bus.close());
      await redis.dispose();
    });
    afterEach(() => {
      jest.useRealTimers();
      here.leaveAll();
      there.leaveAll();
    });
    const login = async () => here.tokenOf(await here.user());

    it('close the sockets of each other', async () => {
      const token = await login();
      const socket = await there.connected(token);
      const move = freezeDate(); // no check is due
      await here.call(token, 'POST', 'logout');
      if (!hasBus) {
        expect(socket.end).toBeUndefined();
        move(31_000);
      }
      expect(await socket.closed()).toBe('4401 logged-out');
    });

    (hasBus ? it : it.skip)('notice an end without the bus, and use it again when it is back', async () => {
      const [first, second] = [await login(), await login()];
      const [one, two] = [await there.connected(first), await there.connected(second)];
      await redis.kill();
      await until(() => buses.every(({ isUp }) => !isUp) || undefined);
      await here.call(first, 'POST', 'logout');
      const move = freezeDate();
      move(31_000);
      expect(await one.closed()).toBe('4401 logged-out');
      jest.useRealTimers();
      await redis.start();
      await until(() => buses.every(({ isUp }) => isUp) || undefined);
      await until(() => there.get<TestBus>(AUTH_BUS).isUp || undefined);
      await here.call(second, 'POST', 'logout');
      expect(await two.closed()).toBe('4401 logged-out');
    });
  });
});

describe('races of a logout', () => {
  const app = sharedTestApp(new SocketsApp({ session: { store: 'database' }, database: 'postgres' }));
  afterEach(() => app.leaveAll());

  it('against handshakes leave no socket open, and no message is handled after it', async () => {
    const race = new CloseRace();
    const user = await app.user();
    for (let i = 0; i < 100; i++) {
      const token = await app.issueToken({ userId: user.id, username: user.username });
      const [socket] = await race.run(
        async () => {
          const client = app.connect(token);
          await until(() => client.isOpen || client.end !== undefined || undefined);
          return client;
        },
        () => app.call(token, 'POST', 'logout'),
      );
      race.wonBy(socket.end === undefined ? 'first' : 'second');
      app.seen.length = 0;
      if (socket.end === undefined) {
        socket.send('who', i);
      }
      expect(await socket.closed()).toMatch(/^4401 /);
      expect(app.seen.filter((line) => line.startsWith('who'))).toEqual([]);
    }
    expect(app.registry.ofUser(user.id)).toEqual([]);
  });

  it('against messages let no handler run after the answer', async () => {
    const user = await app.user();
    for (let i = 0; i < 100; i++) {
      const token = await app.issueToken({ userId: user.id, username: user.username });
      const socket = await app.connected(token);
      const logout = app.call(token, 'POST', 'logout');
      let isOver = false as boolean;
      void logout.then(() => (isOver = true));
      while (!isOver && socket.end === undefined) {
        socket.send('who', 'during');
        await setImmediate();
      }
      await logout;
      app.seen.length = 0;
      socket.send('who', 'after');
      expect(await socket.closed()).toMatch(/^4401 /);
      expect(app.seen.filter((line) => line.includes('"after"'))).toEqual([]);
    }
  });
});
