import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server in a process of its own, for one test. */
export class ServerProcess {
  protected process: ChildProcess | undefined;

  constructor(readonly port: number) {}

  /** Starts a command, and waits until it says that it is ready. */
  protected async run(command: string, args: readonly string[], ready: string): Promise<void> {
    const server = spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', command, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.process = server;
    // A test that dies leaves neither a server nor a test run that waits for it.
    server.unref();
    const kill = () => server.kill('SIGKILL');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    let log = '';
    for await (const chunk of server.stdout) {
      log += String(chunk);
      if (log.includes(ready)) {
        return;
      }
    }
    throw new Error(`${command} did not start on port ${this.port}: ${log}`);
  }

  async kill(): Promise<void> {
    const exited = once(this.process!, 'exit');
    this.process!.kill('SIGKILL');
    await exited;
  }
}
