import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a local port that answers with JSON, counts its calls, and lets tests answer instead. */
export abstract class LocalServer {
  private server: Server | undefined;
  /** How often each path was called. */
  calls: Record<string, number> = {};
  /** Answers instead of the server, by path. */
  handlers: Record<string, Handler> = {};

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      void this.answer(request, response);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  reset(): void {
    this.calls = {};
    this.handlers = {};
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  /** Undefined for 404. */
  protected abstract bodyOf(path: string): object | undefined | Promise<object | undefined>;

  /** Of answers with a body. */
  protected headers(): Readonly<Record<string, string>> {
    return {};
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.origin);
    this.calls[pathname] = (this.calls[pathname] ?? 0) + 1;
    const handler = this.handlers[pathname];
    if (handler !== undefined) {
      handler(request, response);
      return;
    }
    const body = await this.bodyOf(pathname);
    const headers = { 'content-type': 'application/json', ...this.headers() };
    response.writeHead(body === undefined ? 404 : 200, headers);
    response.end(JSON.stringify(body ?? {}));
  }
}
