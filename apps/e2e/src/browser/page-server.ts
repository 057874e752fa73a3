import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { transformSync } from 'esbuild';

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

/** The client of a package as browsers get it. */
export function scriptOf(name: string): string {
  const source = readFileSync(`packages/${name}/src/client.ts`, 'utf8');
  return transformSync(source, { loader: 'ts', format: 'esm', target: 'es2022' }).code;
}
