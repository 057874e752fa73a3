import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** Delivers what clients send later, as a long way does. */
export class SlowProxy extends TcpProxy {
  /** How much later, 0 for now. It can change at any time. */
  latencyMs = 0;

  protected override forward(client: Socket, upstream: Socket): void {
    client.on('data', (chunk) => setTimeout(() => upstream.write(chunk), this.latencyMs));
    upstream.pipe(client);
  }
}
