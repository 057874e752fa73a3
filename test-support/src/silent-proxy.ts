import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** A proxy that can become silent, like a NAT that has lost a connection. */
export class SilentProxy extends TcpProxy {
  /** Whether connections that are opened now are silent, too. */
  answersNone = false;
  private accepted: () => unknown = () => undefined;

  protected override forward(client: Socket, upstream: Socket): void {
    if (this.answersNone) {
      client.resume();
    } else {
      client.pipe(upstream);
      upstream.pipe(client);
    }
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

  /** Closes all connections. Resolves when as many were opened again. */
  cut(): Promise<void> {
    let missing = this.pairs.size;
    const opened = new Promise<void>((resolve) => {
      this.accepted = () => --missing === 0 && resolve();
    });
    this.pairs.forEach(([client]) => client.destroy());
    return opened;
  }

  nextConnection(): Promise<void> {
    return new Promise((resolve) => (this.accepted = resolve));
  }
}
