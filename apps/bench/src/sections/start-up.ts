import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { ServerProcess } from '../measure/server-process.js';
import { spreadOf } from '../measure/statistics.js';
import type { PeerName } from '../peers/index.js';
import type { Target } from '../plan.js';

const ROUNDS = 5;
const BARE = 'no authentication, Fastify and SQLite';
const KIT = 'kit-auth-jwt, Fastify';

/** From the start of a process until it listens, beside a bare application with the same database. */
export async function startUp(): Promise<Target[]> {
  const directory = mkdtempSync(join(tmpdir(), 'kit-auth-bench-'));
  const file = (name: string | number) => join(directory, `${name}.sqlite`);
  const added: { first: number[]; later: number[] } = { first: [], later: [] };
  try {
    await startOf(KIT, file('seeded'));
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await startOf(BARE, file('bare'));
      // The later ones as well: whether the administrator still has the built-in password takes a hash to tell.
      added.later.push((await startOf(KIT, file('seeded'))) - bare - hashMilliseconds());
      added.first.push((await startOf(KIT, file(round))) - bare - hashMilliseconds());
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return [
    {
      what: 'start-up added, first seed, beyond its hash',
      limit: 100,
      unit: 'ms',
      measured: spreadOf(added.first).median,
    },
    {
      what: 'start-up added, later, beyond its hash',
      limit: 100,
      unit: 'ms',
      measured: spreadOf(added.later).median,
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
