import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** Delays the data of clients, like a network with a high latency. */
export class SlowProxy extends TcpProxy {
  /** The delay in milliseconds, at first 0. It can change at any time. */
  latencyMs = 0;

  protected override forward(client: Socket, upstream: Socket): void {
    client.on('data', (chunk) => setTimeout(() => upstream.write(chunk), this.latencyMs));
    upstream.pipe(client);
  }
}
