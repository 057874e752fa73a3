import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and can fall silent as a NAT does that has forgotten a connection. */
export class SilentProxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private readonly server: Server;
  private accepted = (): void => undefined;

  constructor(private readonly target: number) {
    this.server = createServer((client) => {
      const upstream = connect(this.target, '127.0.0.1');
      const pair: [Socket, Socket] = [client, upstream];
      this.pairs.add(pair);
      for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          to.destroy();
          this.pairs.delete(pair);
        });
      }
      this.accepted();
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on what is connected stays connected, and nothing passes. New connections work. */
  silence(): void {
    for (const [client, upstream] of this.pairs) {
      client.unpipe(upstream);
      upstream.unpipe(client);
      client.resume(); // Read, so that the sender sees no full buffer, and thrown away.
      upstream.pause();
    }
  }

  nextConnection(): Promise<void> {
    return new Promise((resolve) => (this.accepted = resolve));
  }

  async close(): Promise<void> {
    this.pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()));
    this.server.close();
    await once(this.server, 'close');
  }
}
