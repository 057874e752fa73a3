import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and delivers what the client sends later, as a long way does. */
export class SlowProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  /** @param latencyMs how much later. 0 for now; it can change at any time */
  constructor(
    target: number,
    public latencyMs = 0,
  ) {
    this.server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      client.on('data', (chunk) => setTimeout(() => upstream.write(chunk), this.latencyMs));
      upstream.pipe(client);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    this.server.close();
    await once(this.server, 'close');
  }
}
