import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** Can fall silent as a NAT does that has forgotten a connection. */
export class SilentProxy extends TcpProxy {
  private accepted = (): void => undefined;

  protected override forward(client: Socket, upstream: Socket): void {
    client.pipe(upstream);
    upstream.pipe(client);
    this.accepted();
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
}
