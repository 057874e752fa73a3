import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A NATS server for one test. */
export class NatsServer {
  private process: ChildProcess | undefined;

  constructor(readonly port: number) {}

  async start(): Promise<void> {
    const where = ['--addr', '127.0.0.1', '--port', String(this.port)];
    const server = spawn('nats-server', where, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = server;
    // A test that dies leaves neither a server nor a test run that waits for it.
    server.unref();
    const kill = () => server.kill('SIGKILL');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    let log = '';
    for await (const chunk of server.stderr) {
      log += String(chunk);
      if (log.includes('Server is ready')) {
        return;
      }
    }
    throw new Error(`nats-server did not start on port ${this.port}: ${log}`);
  }

  async kill(): Promise<void> {
    const exited = once(this.process!, 'exit');
    this.process!.kill('SIGKILL');
    await exited;
  }
}
