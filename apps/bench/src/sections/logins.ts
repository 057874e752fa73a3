import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { LoadGenerator } from '../measure/load.js';
import { ServerProcess } from '../measure/server-process.js';
import { quantile, spreadOf } from '../measure/statistics.js';
import { bearer, jwt } from '../measure/tokens.js';
import { LOGIN_USERS, PASSWORD } from '../peers/kit-auth.js';
import type { Target } from '../plan.js';

const ROUNDS = 3;
const MILLISECONDS = 2000;
const PROBE_EVERY_MS = 5;
const RAW = fileURLToPath(new URL('./raw-bcrypt.js', import.meta.url));

/** Logins as fast as they go, beside bcrypt on its own, and a user meanwhile who is logged in. */
export async function logins(): Promise<Target[]> {
  const server = await ServerProcess.start('kit-auth-jwt, Fastify');
  const { port } = server.ready;
  const [crowd, user] = [await LoadGenerator.open(port), await LoadGenerator.open(port, 1)];
  try {
    await server.ask('add users');
    for (let number = 0; number < LOGIN_USERS; number++) {
      await user.run(() => login(number), 200, 0);
    }
    await server.ask('begin to watch');
    let count = 0;
    const throughput: number[] = [];
    const latency: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const raw = await rawHashesPerSecond();
      const idle = await user.run(() => HELLO, 200, MILLISECONDS, PROBE_EVERY_MS);
      const [storm, during] = await Promise.all([
        crowd.run(() => login(count++ % LOGIN_USERS), 200, MILLISECONDS),
        user.run(() => HELLO, 200, MILLISECONDS, PROBE_EVERY_MS),
      ]);
      throughput.push(storm.requests / storm.seconds / raw);
      latency.push(quantile(during.latencies, 0.99) / quantile(idle.latencies, 0.99));
    }
    return [
      // At least 0.95: the ratio is turned round, so that less is better in the whole table.
      {
        what: 'bcrypt on its own over logins at saturation, a second',
        limit: 1 / 0.95,
        unit: '',
        measured: 1 / spreadOf(throughput).median,
      },
      {
        what: 'p99 of a protected request while logins saturate the machine, over its idle p99',
        limit: 3,
        unit: '',
        measured: spreadOf(latency).median,
      },
      {
        what: "longest wait of a job in libuv's pool meanwhile",
        limit: 100,
        unit: 'ms',
        measured: await server.ask<number>('longest wait'),
      },
    ];
  } finally {
    crowd.close();
    user.close();
    await server.stop();
  }
}

/** As many at once as the module lets run. */
async function rawHashesPerSecond(): Promise<number> {
  const concurrency = Math.max(1, availableParallelism() - 1);
  const child = fork(RAW, [String(concurrency), String(MILLISECONDS)], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (perSecond) => resolve(perSecond as number));
    child.once('exit', (code) => reject(new Error(`bcrypt on its own ended with code ${code}`)));
  });
}

const HELLO = Buffer.from(`GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n${bearer(jwt(1))}\r\n\r\n`);

function login(number: number): Buffer {
  const body = JSON.stringify({ username: `user-${number}`, password: PASSWORD });
  const head = [
    'POST /v1/api/auth/login HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
