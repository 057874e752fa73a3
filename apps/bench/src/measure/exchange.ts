import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A connection that goes nowhere. */
class NoSocket extends EventEmitter {
  readonly writable = true;
  readonly remoteAddress = '127.0.0.1';
  readonly localAddress = '127.0.0.1';
  readonly _writableState = { corked: 0 };
  written = '';

  write(chunk: string | Buffer, _encoding?: unknown, done?: () => void): boolean {
    this.written += typeof chunk === 'string' ? chunk : chunk.toString('latin1');
    done?.();
    return true;
  }

  cork(): void {}
  uncork(): void {}
  setTimeout(): void {}
  destroy(): void {}
}

/** With Node's own request and response, as its server makes them. */
export function exchange(handle: Handle, url: string, rawHeaders: string[]): Promise<NoSocket> {
  return new Promise((done) => {
    const socket = new NoSocket();
    const request = new IncomingMessage(socket as unknown as Socket);
    request.httpVersion = '1.1';
    request.httpVersionMajor = 1;
    request.httpVersionMinor = 1;
    request.method = 'GET';
    request.url = url;
    (request as unknown as { _addHeaderLines(lines: string[], count: number): void })._addHeaderLines(
      rawHeaders,
      rawHeaders.length,
    );
    request.complete = true;
    const response = new ServerResponse(request);
    response.assignSocket(socket as unknown as Socket);
    response.on('finish', () => {
      response.detachSocket(socket as unknown as Socket);
      process.nextTick(() => {
        response.emit('close');
        done(socket);
      });
    });
    handle(request, response);
  });
}
