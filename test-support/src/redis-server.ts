import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ServerProcess } from './server-process.js';

/** A Redis server for one test, which can stop, freeze and kill it. */
export class RedisServer extends ServerProcess {
  private readonly directory = mkdtempSync(join(tmpdir(), 'kit-auth-redis-'));

  async start(...more: string[]): Promise<void> {
    await this.spawn(['--save', '', ...more], 'Ready to accept connections');
  }

  /** Starts a sentinel instead, which replaces the primary on another port within a few seconds of its end. */
  async startSentinel(name: string, primary: number): Promise<void> {
    const file = join(this.directory, 'sentinel.conf');
    writeFileSync(
      file,
      `sentinel monitor ${name} 127.0.0.1 ${primary} 1\nsentinel down-after-milliseconds ${name} 500\n`,
    );
    await this.spawn([file, '--sentinel'], '+monitor');
  }

  private spawn(more: string[], ready: string): Promise<void> {
    const where = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory];
    return this.run('redis-server', [...more, ...where], ready);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process?.kill(signal);
  }

  async dispose(): Promise<void> {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      await this.kill();
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Below the ephemeral ports. The bus of a cluster node listens 10,000 above its port. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 10_000 + Math.trunc(Math.random() * 10_000);
    if (!ports.includes(port) && (await isFree(port)) && (await isFree(port + 10_000))) {
      ports.push(port);
    }
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Three nodes without replicas. */
export async function startCluster(): Promise<RedisServer[]> {
  const ports = await freePorts(3);
  const nodes = ports.map((port) => new RedisServer(port));
  await Promise.all(nodes.map((node) => node.start('--cluster-enabled', 'yes')));
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], {
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  await Promise.all(ports.map(clusterIsUp));
  return nodes;
}

/** Waits until the nodes agree on the slots. A new node accepts no commands for two seconds. */
function clusterIsUp(port: number): Promise<void> {
  return answersWith(port, 'cluster_state:ok', 'cluster', 'info');
}

/** A primary, its replica and a sentinel that knows the primary by this name. */
export async function startSentinel(
  name: string,
): Promise<{ primary: RedisServer; replica: RedisServer; sentinel: RedisServer }> {
  const [primary, replica, sentinel] = (await freePorts(3)).map((port) => new RedisServer(port)) as [
    RedisServer,
    RedisServer,
    RedisServer,
  ];
  await primary.start();
  await replica.start('--replicaof', `127.0.0.1 ${primary.port}`);
  await answersWith(replica.port, 'master_link_status:up', 'info', 'replication');
  await sentinel.startSentinel(name, primary.port);
  return { primary, replica, sentinel };
}

/** Asks a server until its answer contains a text. */
async function answersWith(port: number, text: string, ...command: string[]): Promise<void> {
  const deadline = Date.now() + 20_000;
  const ask = () => promisify(execFile)('redis-cli', ['-p', String(port), ...command]);
  while (!(await ask()).stdout.includes(text)) {
    if (Date.now() > deadline) {
      throw new Error(`the server on port ${port} does not answer "${command.join(' ')}" with ${text}`);
    }
    await setTimeout(50);
  }
}
