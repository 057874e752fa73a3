import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests below a path on to an application. */
export class PathProxy {
  private readonly server: Server;

  /**
   * @param target the port of the application
   * @param path without a slash at the end
   * @param keeps whether the application sees the path too
   */
  constructor(target: number, path: string, keeps: boolean) {
    this.server = createServer((received, response) => {
      const { method, url = '', headers } = received;
      if (!url.startsWith(`${path}/`)) {
        response.writeHead(404).end();
        return;
      }
      const passed = keeps ? url : url.slice(path.length);
      const sent = request({ host: '127.0.0.1', port: target, method, path: passed, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      sent.on('error', () => response.destroy());
      received.pipe(sent);
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
