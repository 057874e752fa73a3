import { jest } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import type { TestApp } from 'test-support';

/** A client that writes the bytes of a WebSocket itself. */
export function rawSocket(port: number, path: string, headers: readonly string[], frames: Buffer): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ];
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), frames]));
  return socket;
}

/** A frame of a client with a short text. Its mask changes nothing. */
export function frameOf(message: object): Buffer {
  const data = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length, 0, 0, 0, 0]), data]);
}

/** The beginning of a long message, of which only some bytes follow. */
export function beginOf(length: number, sent: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(sent, 'x')]);
}

/** Lets the provider of an application wait before it resolves a token. */
export function holdTokens(app: TestApp): { asked: () => number; open: () => void } {
  const provider = app.get<Required<AuthProvider>>(AUTH_PROVIDER);
  const resolve = provider.resolve.bind(provider);
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => (open = done));
  const spy = jest.spyOn(provider, 'resolve').mockImplementation(async (token) => {
    await opened;
    return resolve(token);
  });
  return { asked: () => spy.mock.calls.length, open };
}
