import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between clients and a server. If one end of a connection closes, so does the other. */
export abstract class TcpProxy {
  protected readonly pairs = new Set<[client: Socket, upstream: Socket]>();
  private readonly server: Server;

  constructor(target: number) {
    this.server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      const pair: [Socket, Socket] = [client, upstream];
      this.pairs.add(pair);
      for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
        from.on('error', () => to.destroy());
        from.on('close', () => {
          to.destroy();
          this.pairs.delete(pair);
        });
      }
      this.forward(client, upstream);
    });
  }

  /** Passes on what the two ends of a new connection send. */
  protected abstract forward(client: Socket, upstream: Socket): void;

  /** @param port default: a free one */
  async listen(port = 0): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get isListening(): boolean {
    return this.server.listening;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.pairs.size;
  }

  async close(): Promise<void> {
    this.pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()));
    this.server.close();
    await once(this.server, 'close');
  }
}
