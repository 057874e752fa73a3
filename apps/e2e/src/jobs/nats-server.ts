import { ServerProcess } from 'test-support';

/** A NATS server for one test. */
export class NatsServer extends ServerProcess {
  start(): Promise<void> {
    return this.run('nats-server', ['--addr', '127.0.0.1', '--port', `${this.port}`], 'Server is ready');
  }
}
