import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { KitAuthRedisBusModule } from 'kit-auth-sockets/redis';
import {
  CloseRace,
  freezeDate,
  freePorts,
  RedisServer,
  sharedDatabase,
  sharedTestApp,
  until,
} from 'test-support';
import { SocketsApp } from './app.js';

describe.each([true, false])('two instances, with a bus: %s', (hasBus) => {
  const database = sharedDatabase('postgres');
  let redis: RedisServer;
  let url = '';
  beforeAll(async () => {
    await database.recreate();
    redis = new RedisServer((await freePorts(1))[0]!);
    await redis.start();
    url = `redis://127.0.0.1:${redis.port}`;
  });
  const instance = (synchronize: boolean) =>
    sharedTestApp(
      new SocketsApp({
        session: { store: 'database' },
        database: { ...database.options, synchronize } as never,
        imports: hasBus ? [KitAuthRedisBusModule.forRootAsync({ useFactory: () => ({ url }) })] : [],
      }),
    );
  const here = instance(true);
  const there = instance(false);
  afterAll(() => redis.dispose());
  afterEach(() => {
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
});

describe('races of a logout', () => {
  const app = sharedTestApp(new SocketsApp({ session: { store: 'database' }, database: 'postgres' }));
  afterEach(() => app.leaveAll());
  const handled = () => app.seen.filter((line) => line.includes('"after"'));

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
      if (socket.end === undefined) {
        socket.send('who', 'after');
      }
      expect([await socket.closed(), handled()]).toEqual([expect.stringMatching(/^4401 /), []]);
    }
    expect(app.registry.ofUser(user.id)).toEqual([]);
  });

  it('against messages let no handler run after the answer', async () => {
    const user = await app.user();
    for (let i = 0; i < 50; i++) {
      const token = await app.issueToken({ userId: user.id, username: user.username });
      const socket = await app.connected(token);
      let isOver = false as boolean;
      const logout = app.call(token, 'POST', 'logout').then(() => (isOver = true));
      while (!isOver && socket.end === undefined) {
        socket.send('who', 'during');
        await setImmediate();
      }
      await logout;
      socket.send('who', 'after');
      expect([await socket.closed(), handled()]).toEqual([expect.stringMatching(/^4401 /), []]);
    }
  });
});
