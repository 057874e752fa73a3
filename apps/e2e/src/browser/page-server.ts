import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageServer {
  readonly port: number;
  close: () => void;
}

/** Serves one page, as a site of somebody else does. */
export async function servePage(html = ''): Promise<PageServer> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
