import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { cpuTimeOf } from './cpu.js';

/** The core of the load generator, and of Redis. The servers that are measured have the other one. */
export const CLIENT_CORE = 1;
const POSTGRES = process.env['BENCH_POSTGRES_SERVER'] ?? 'postgres://postgres@127.0.0.1:5432';

let redisPid: number | undefined;

/** What the load generator and Redis have used so far, in nanoseconds. */
export function cpuTimeOfClients(): bigint {
  return cpuTimeOf(process.pid) + (redisPid === undefined ? 0n : cpuTimeOf(redisPid));
}

/** A Redis of the benchmark's own, and a database of its own in the machine's PostgreSQL. */
export class Servers {
  private constructor(
    private readonly redis: ChildProcess,
    private readonly database: string,
  ) {}

  /** Tells the applications where they are, by `BENCH_REDIS` and `BENCH_POSTGRES`. */
  static async start(): Promise<Servers> {
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const redis = spawn('taskset', ['-c', String(CLIENT_CORE), 'redis-server', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.once('exit', () => redis.kill());
    await once(redis, 'spawn'); // or its error, which names the command
    await isReady(redis);
    redisPid = redis.pid;
    const database = `kit_auth_bench_${process.pid}`;
    await query(`DROP DATABASE IF EXISTS ${database}`);
    await query(`CREATE DATABASE ${database}`);
    process.env['BENCH_REDIS'] = `redis://127.0.0.1:${port}`;
    process.env['BENCH_POSTGRES'] = `${POSTGRES}/${database}`;
    return new Servers(redis, database);
  }

  async stop(): Promise<void> {
    const ended = once(this.redis, 'exit');
    this.redis.kill();
    await ended;
    await query(`DROP DATABASE ${this.database} WITH (FORCE)`);
  }
}

async function isReady(redis: ChildProcess): Promise<void> {
  let log = '';
  for await (const chunk of redis.stdout ?? []) {
    log += String(chunk);
    if (log.includes('Ready to accept connections')) {
      return;
    }
  }
  throw new Error(`redis-server does not start: ${log}`);
}

/** @returns what undoes it */
export function pinToClientCore(): () => void {
  const taskset = (cores: string) =>
    execFileSync('taskset', ['--all-tasks', '-cp', cores, String(process.pid)], { stdio: 'ignore' });
  taskset(String(CLIENT_CORE));
  return () => taskset('0-1');
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${POSTGRES}/postgres` });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
