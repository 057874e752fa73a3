import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** A proxy that can become silent, like a NAT that has lost a connection. */
export class SilentProxy extends TcpProxy {
  private accepted = (): void => undefined;

  protected override forward(client: Socket, upstream: Socket): void {
    client.pipe(upstream);
    upstream.pipe(client);
    this.accepted();
  }

  /** Existing connections stay open from now on, but nothing passes. New connections work. */
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
}
