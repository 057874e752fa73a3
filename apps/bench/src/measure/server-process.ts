import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuTimeOf, memoryOf } from './cpu.js';
import type { PeerName } from '../peers/index.js';

const SERVER = fileURLToPath(new URL('../server.js', import.meta.url));

/** What a server says when it listens. */
export interface Ready {
  port: number;
  /** The header lines that its clients send, one for each token. */
  headers: string[];
  /** From the start of the process until it listens. */
  startMilliseconds: number;
}

export interface ServerOptions {
  /** Passed to the application. */
  settings?: Record<string, string>;
  /** The core to run on; without one, wherever the system wants. */
  core?: number;
}

/** An application in a process of its own, which ends with ours. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly ready: Ready,
  ) {}

  static async start(peer: PeerName, { settings = {}, core }: ServerOptions = {}): Promise<ServerProcess> {
    const node = ['--expose-gc'];
    const child = fork(SERVER, [peer], {
      ...(core === undefined
        ? { execArgv: node }
        : { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...node] }),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, NODE_ENV: 'production', ...settings },
    });
    const ready = await new Promise<Ready>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Ready));
      child.once('exit', (code) => reject(new Error(`${peer} ended with code ${code} before it listened`)));
    });
    return new ServerProcess(child, ready);
  }

  cpuTime(): bigint {
    return cpuTimeOf(this.child.pid as number);
  }

  memory(): number {
    return memoryOf(this.child.pid as number);
  }

  /** Has the application do something of its own and waits for the result. */
  ask<T>(question: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.child.once('message', (message) => resolve(message as T));
      this.child.once('exit', () => reject(new Error(`the server ended over ${question}`)));
      this.child.send(question);
    });
  }

  async stop(): Promise<void> {
    if (!this.child.connected) {
      return;
    }
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.disconnect();
    await ended;
  }
}
