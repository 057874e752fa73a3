import { ServerProcess } from '../measure/server-process.js';
import type { Target } from '../plan.js';

/** Resident memory beside a bare application with the same database: idle, and after both were as busy. */
export async function memory(): Promise<Target[]> {
  const bare = await ServerProcess.start('no authentication, Fastify and SQLite');
  const kit = await ServerProcess.start('kit-auth-jwt, Fastify');
  try {
    const idle = kit.memory() - bare.memory();
    await Promise.all([kit.ask('remember a million'), bare.ask('forget a million')]);
    return [
      { what: 'memory added, idle', limit: 15, unit: 'MB', measured: idle },
      {
        what: 'memory added after 1,000,000 tokens, user names and addresses',
        limit: 64,
        unit: 'MB',
        measured: kit.memory() - bare.memory(),
      },
    ];
  } finally {
    await Promise.all([bare.stop(), kit.stop()]);
  }
}
