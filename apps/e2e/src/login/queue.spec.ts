import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { BOTH, requestOf, sharedTestApp } from 'test-support';
import { ThrottledApp } from './throttled-app.js';

const HOME = '192.0.2.1';

describe.each(BOTH)('logins in a storm on %s', (platform) => {
  const app = sharedTestApp(
    new ThrottledApp({
      platform,
      trustProxy: true,
      throttle: { addressFailures: 1000 },
      options: { password: { concurrency: 1, queue: 4 } },
    }),
  );
  beforeAll(async () => {
    expect(await app.try('ada', 'right', HOME)).toBe(200);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sends a login, and resets the connection right away. */
  const sendAndReset = async (i: number) => {
    const login = requestOf('/v1/api/auth/login', {
      method: 'POST',
      headers: ['Content-Type: application/json', 'X-Forwarded-For: 198.51.100.3'],
      body: JSON.stringify({ username: `gone-${i}`, password: 'wrong' }),
    });
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    await new Promise((resolve) => socket.write(login, resolve));
    socket.resetAndDestroy();
  };

  it('computes no hash for a client that has disconnected', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    const release = holdFirst(compare);
    const first = app.try('first', 'wrong', HOME);
    await until(() => compare.mock.calls.length === 1);
    let ended = 0;
    app.server.on('connection', (socket) => socket.once('close', () => ended++));
    for (let i = 0; i < 4; i++) {
      await sendAndReset(i);
    }
    await until(() => ended === 4);
    const last = app.try('last', 'wrong', HOME);
    release();
    expect([await first, await last]).toEqual([40110, 40110]);
    expect(compare).toHaveBeenCalledTimes(2);
    expect(app.logs.ours().filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('from one address does not keep others from logging in', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    const release = holdFirst(compare);
    let answered = 0;
    const answers = Array.from({ length: 20 }, async (_, i) => {
      const outcome = await app.try(`nobody-${i}`, 'wrong', '198.51.100.4');
      answered++;
      return outcome;
    });
    await until(() => answered === 15); // one is compared, and four wait
    const others = [app.try('ada', 'right', HOME), app.try('off', 'right', '198.18.0.1')];
    release();
    expect(await Promise.all(others)).toEqual([200, 40111]);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([40110, 50300]));
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
