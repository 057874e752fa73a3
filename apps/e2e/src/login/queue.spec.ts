import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { BOTH, parse, requestOf, sharedTestApp } from 'test-support';
import { ThrottledApp } from './throttled-app.js';

const HOME = '192.0.2.1';
const ELSEWHERE = '203.0.113.1';

/** Logins that nobody waits for, or that one address sends, while others log in. */
class Storm {
  private readonly sockets: Socket[] = [];
  private count = 0;

  constructor(private readonly app: ThrottledApp) {}

  /** A login of a name of its own. */
  private login(from: string | undefined, username = `nobody-${++this.count}`): Buffer {
    return requestOf('/v1/api/auth/login', {
      method: 'POST',
      headers: [
        'Content-Type: application/json',
        ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
      ],
      body: JSON.stringify({ username, password: 'wrong' }),
    });
  }

  /** Sends it, and resets the connection right away. */
  async sendAndReset(from?: string, username?: string): Promise<void> {
    const socket = connect(this.app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    await new Promise((resolve) => socket.write(this.login(from, username), resolve));
    socket.resetAndDestroy();
  }

  /** Sends it, and waits for the answer. */
  send(from: string): Promise<number> {
    const socket = connect(this.app.port, '127.0.0.1');
    this.sockets.push(socket);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.write(this.login(from));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => resolve(parse(Buffer.concat(chunks).toString()).status));
    });
  }
}

describe.each(BOTH)('logins in a storm on %s', (platform) => {
  const app = sharedTestApp(
    new ThrottledApp({
      platform,
      trustProxy: true,
      throttle: { addressFailures: 1000 },
      options: { password: { concurrency: 1, queue: 4 } },
    }),
  );
  let storm: Storm;
  beforeAll(async () => {
    storm = new Storm(app);
    expect(await app.try('ada', 'right', HOME)).toBe(200);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('computes no hash for a client that has disconnected', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    const release = holdFirst(compare);
    const first = app.try('first', 'wrong', HOME);
    await until(() => compare.mock.calls.length === 1);
    let ended = 0;
    app.server.on('connection', (socket) => socket.once('close', () => ended++));
    await Promise.all(Array.from({ length: 4 }, () => storm.sendAndReset('198.51.100.3')));
    await until(() => ended === 4);
    const last = app.try('last', 'wrong', HOME);
    release();
    expect([await first, await last]).toEqual([40110, 40110]);
    expect(compare).toHaveBeenCalledTimes(2);
    expect(app.logs.ours().filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it.each([
    ['without an address of its own', undefined, undefined],
    ['from one address', '198.51.100.1', undefined],
    ['at the account of the known device', '198.51.100.2', 'ada'],
  ])('of connections that are reset %s delays nobody', async (_name, from, username) => {
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 10 }, () => storm.sendAndReset(from, username)));
      expect(await app.try('ada', 'right', HOME)).toBe(200);
      expect(await app.try('off', 'right', `${ELSEWHERE}${round}`)).toBe(40111); // for the first time
    }
  });

  it('from one address does not keep others from logging in', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    for (let round = 0; round < 4; round++) {
      const release = holdFirst(compare);
      const statuses = Array.from({ length: 20 }, () => storm.send('198.51.100.4'));
      let answered = 0;
      statuses.forEach((status) => void status.then(() => answered++));
      await until(() => answered === 15); // one is compared, and four wait
      const others = [app.try('ada', 'right', HOME), app.try('off', 'right', `198.18.0.${round}`)];
      release();
      expect(await Promise.all(others)).toEqual([200, 40111]);
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([401, 503]));
    }
  });

  it('from many addresses does not keep a known device from logging in, and does not reveal it', async () => {
    const statuses = Array.from({ length: 40 }, (_, i) => storm.send(`198.18.1.${i}`));
    expect(await app.try('ada', 'right', HOME)).toBe(200);
    const [wrong, unknown] = await Promise.all([
      app.try('ada', 'wrong', HOME),
      app.try('eve', 'wrong', HOME),
    ]);
    expect([401, 503]).toEqual(expect.arrayContaining([...new Set(await Promise.all(statuses))]));
    expect([40110, 50300]).toEqual(expect.arrayContaining([wrong, unknown]));
  });
});

/** Keeps the first hash from ending until it is told to. */
function holdFirst(compare: jest.Spied<typeof bcrypt.compare>): () => void {
  let release = (): void => undefined;
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(false);
  });
  compare.mockImplementationOnce((() => held) as never);
  return release;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
