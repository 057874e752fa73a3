import { Agent, request } from 'node:http';
import { ServerProcess } from '../measure/server-process.js';
import { quantile, spreadOf } from '../measure/statistics.js';
import { ADDRESSES, addressOf } from '../peers/kit-auth-email.js';
import type { Target } from '../plan.js';

const MAX_RATIO = 1.15;
/** What other processes do can make either of them slower, but hardly in every run. */
const MAX_RUNS = 3;
const FLOOD = 1000;
/** The first requests of a process compile its code. */
const WARM_UP = 400;
const AT_ONCE = 50;

const CASES = [
  ['password/forgot', 'unknown'],
  ['password/forgot', 'disabled'],
  ['register', 'unknown'],
  ['register', 'disabled'],
  ['login/link', 'unknown'],
  ['login/link', 'disabled'],
  ['email', 'unknown'],
] as const;

/** Whether the time of an answer tells if an address is known, and a flood of requests while the mail server hangs. */
export async function addresses(): Promise<Target[]> {
  const targets: Target[] = [];
  for (const mailer of ['works', 'hangs']) {
    for (const [path, other] of CASES) {
      let measured = Infinity;
      for (let run = 0; run < MAX_RUNS && measured > MAX_RATIO; run++) {
        const ratio = await withServer(mailer, (ask) => ratioOf((email) => ask(path, email), other));
        measured = Math.min(measured, ratio);
      }
      targets.push({
        what: `${path}, known and ${other} addresses, the slower over the faster; the mailer ${mailer}`,
        limit: MAX_RATIO,
        unit: '',
        measured,
      });
    }
  }
  targets.push(
    await withServer('hangs', async (ask) => {
      await warmUp((email) => ask('password/forgot', email));
      return {
        what: `p99 of ${FLOOD} requests for a reset, ${AT_ONCE} at once, while the mailer hangs`,
        limit: 500,
        unit: 'ms' as const,
        measured: await flood((email) => ask('password/forgot', email)),
      };
    }),
  );
  return targets;
}

type Ask = (path: string, email: string) => Promise<Answer>;

async function withServer<T>(mailer: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start('kit-auth-email, Fastify', { settings: { BENCH_MAILER: mailer } });
  const agent = new Agent({ keepAlive: true });
  try {
    const token = await server.ask<string>('add addresses');
    return await work((path, email) =>
      post({ agent, port: server.ready.port, path, email, ...(path === 'email' && { token }) }),
    );
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Pairs one after another, each address once, with the known one first in every other pair. */
async function ratioOf(
  ask: (email: string) => Promise<Answer>,
  other: 'unknown' | 'disabled',
): Promise<number> {
  await warmUp(ask);
  const times = { known: [] as number[], [other]: [] as number[] };
  for (let pair = 0; pair < ADDRESSES; pair++) {
    const kinds = pair % 2 === 0 ? (['known', other] as const) : ([other, 'known'] as const);
    for (const kind of kinds) {
      const { status, milliseconds } = await ask(addressOf(kind, pair));
      if (status !== 202) {
        throw new Error(`a request was answered with ${status}`);
      }
      times[kind]?.push(milliseconds);
    }
  }
  const [a, b] = [spreadOf(times.known).median, spreadOf(times[other] ?? []).median];
  return Math.max(a, b) / Math.min(a, b);
}

async function flood(ask: (email: string) => Promise<Answer>): Promise<number> {
  const times: number[] = [];
  let number = 0;
  const client = async () => {
    while (number < FLOOD) {
      const kind = number % 2 === 0 ? 'known' : 'unknown';
      const { status, milliseconds } = await ask(addressOf(kind, number++ % ADDRESSES));
      // 50300 where the queue is full, for known and unknown addresses.
      if (status !== 202 && status !== 503) {
        throw new Error(`a request was answered with ${status}`);
      }
      times.push(milliseconds);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return quantile(
    times.sort((a, b) => a - b),
    0.99,
  );
}

async function warmUp(ask: (email: string) => Promise<Answer>): Promise<void> {
  for (let number = 0; number < WARM_UP; number++) {
    await ask(`warm-up-${number}@mail.example`);
  }
}

interface Answer {
  status: number;
  milliseconds: number;
}

interface Post {
  agent: Agent;
  port: number;
  path: string;
  email: string;
  token?: string;
}

function post({ agent, port, path, email, token }: Post): Promise<Answer> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: `/v1/api/auth/${path}`,
        headers: {
          'Content-Type': 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, milliseconds: performance.now() - begin }),
        );
      },
    );
    sent.once('error', reject);
    sent.end(JSON.stringify({ email }));
  });
}
