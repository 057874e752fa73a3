import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { ServerProcess } from '../measure/server-process.js';
import { spreadOf } from '../measure/statistics.js';
import type { PeerName } from '../peers/index.js';
import type { Target } from '../plan.js';

const ROUNDS = 7;
const BARE = 'no authentication, Fastify and SQLite';
const KIT = 'kit-auth-jwt, Fastify';

/** From the start of a process until it listens, beside a bare application with the same database. */
export async function startUp(): Promise<Target[]> {
  const directory = mkdtempSync(join(tmpdir(), 'kit-auth-bench-'));
  const file = (name: string | number) => join(directory, `${name}.sqlite`);
  const times = { bare: [] as number[], first: [] as number[], later: [] as number[] };
  try {
    await startOf(BARE, file('bare'));
    await startOf(KIT, file('seeded'));
    for (let round = 0; round < ROUNDS; round++) {
      times.bare.push(await startOf(BARE, file('bare')));
      times.later.push(await startOf(KIT, file('seeded')));
      times.first.push(await startOf(KIT, file(round)));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  const medianOf = (values: number[]) => spreadOf(values).median;
  // The later ones as well: whether the administrator still has the built-in password takes a hash to tell.
  const without = medianOf(times.bare) + medianOf(Array.from({ length: ROUNDS }, hashMilliseconds));
  return [
    {
      what: 'start-up added, first seed, beyond its hash',
      limit: 100,
      unit: 'ms',
      measured: medianOf(times.first) - without,
    },
    {
      what: 'start-up added, later, beyond its hash',
      limit: 100,
      unit: 'ms',
      measured: medianOf(times.later) - without,
    },
  ];
}

async function startOf(peer: PeerName, file: string): Promise<number> {
  const server = await ServerProcess.start(peer, { settings: { BENCH_SQLITE: file } });
  await server.stop();
  return server.ready.startMilliseconds;
}

function hashMilliseconds(): number {
  const begin = performance.now();
  bcrypt.hashSync('benchmark', 10);
  return performance.now() - begin;
}
