import { ServerProcess } from '../measure/server-process.js';
import { spreadOf } from '../measure/statistics.js';
import type { Target } from '../plan.js';

/** How often each application is started: the resident memory of a process varies by several megabytes. */
const STARTS = 7;
const BARE = 'no authentication, Fastify and SQLite';
const KIT = 'kit-auth-jwt, Fastify';

/** Resident memory beside a bare application with the same database: idle, and after both were as busy. */
export async function memory(): Promise<Target[]> {
  return [
    { what: 'memory added, idle', limit: 15, unit: 'MB', measured: await idle() },
    {
      what: 'memory added after 1,000,000 tokens, user names and addresses',
      limit: 64,
      unit: 'MB',
      measured: await busy(),
    },
  ];
}

async function idle(): Promise<number> {
  const [bare, kit]: [number[], number[]] = [[], []];
  for (let start = 0; start < STARTS; start++) {
    bare.push(await memoryOf(BARE));
    kit.push(await memoryOf(KIT));
  }
  return spreadOf(kit).median - spreadOf(bare).median;
}

async function memoryOf(peer: typeof BARE | typeof KIT): Promise<number> {
  const server = await ServerProcess.start(peer);
  const memory = server.memory();
  await server.stop();
  return memory;
}

async function busy(): Promise<number> {
  const bare = await ServerProcess.start(BARE);
  const kit = await ServerProcess.start(KIT);
  try {
    await Promise.all([kit.ask('remember a million'), bare.ask('forget a million')]);
    return kit.memory() - bare.memory();
  } finally {
    await Promise.all([bare.stop(), kit.stop()]);
  }
}
