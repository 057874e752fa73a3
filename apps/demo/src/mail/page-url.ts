import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Settings } from '../settings/settings.js';

/** The port to listen on, which links need before anything listens: with `PORT=0`, one that is free right now. */
export async function portFor({ port, host }: Settings): Promise<number> {
  if (port !== 0) {
    return port;
  }
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}

/** Where users see the page. */
export function pageUrl({ mail }: Settings, port: number): string {
  return mail.url ?? `http://localhost:${port}`;
}
