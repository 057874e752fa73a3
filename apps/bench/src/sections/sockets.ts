import { connect, type Socket } from 'node:net';
import { ServerProcess } from '../measure/server-process.js';
import { type Effort, SOCKETS } from '../peers/kit-auth-sockets.js';
import type { Target } from '../plan.js';

const BARE = 'no authentication, ws and Express';
const KIT = 'kit-auth-sockets, ws and Express';
/** How many clients connect at once. */
const AT_ONCE = 100;
const MAX_BLOCKED_MS = 50;

/** Ten thousand sockets: what each costs, and what a hint costs. */
export async function sockets(): Promise<Target[]> {
  const bare = await withSockets(
    BARE,
    () => [],
    async (added) => added,
  );
  const one = await withSockets(
    KIT,
    ([first]) => [first as string],
    async (added, server) => ({
      added,
      hint: await server.ask<Effort>('hint'),
      end: await server.ask<Effort>('end all'),
    }),
  );
  const many = await withSockets(
    KIT,
    (headers) => headers,
    async (added, server) => ({
      added,
      role: await server.ask<Effort>('role changed'),
    }),
  );
  const kilobytes = (added: number) => ((added - bare) * 1024) / SOCKETS;
  const blocked = (what: string, { blocked }: Effort): Target => ({
    what: `event loop blocked, ${what}`,
    limit: MAX_BLOCKED_MS,
    unit: 'ms',
    measured: blocked,
  });
  return [
    { what: 'memory added to a socket, of one user', limit: 4, unit: 'kB', measured: kilobytes(one.added) },
    {
      what: 'memory added to a socket, each of another user',
      limit: 8,
      unit: 'kB',
      measured: kilobytes(many.added),
    },
    {
      what: `look-ups after a hint, ${SOCKETS} sockets of one user`,
      limit: 2,
      unit: '',
      measured: one.hint.lookups,
    },
    blocked(`a hint, ${SOCKETS} sockets of one user`, one.hint),
    blocked(`the end of a login, ${SOCKETS} sockets close`, one.end),
    blocked(`a changed role, ${SOCKETS} users`, many.role),
  ];
}

/** @param work gets the memory that the sockets have added, in megabytes */
async function withSockets<T>(
  peer: typeof BARE | typeof KIT,
  headersOf: (headers: readonly string[]) => readonly string[],
  work: (added: number, server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start(peer);
  const clients: Socket[] = [];
  try {
    await server.ask('settle');
    const before = server.memory();
    const headers = headersOf(server.ready.headers);
    for (let i = 0; i < SOCKETS; i += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, j) => headers[(i + j) % Math.max(headers.length, 1)]);
      clients.push(...(await Promise.all(some.map((header) => open(server.ready.port, header)))));
    }
    await server.ask('settle');
    return await work(server.memory() - before, server);
  } finally {
    clients.forEach((client) => client.destroy());
    await server.stop();
  }
}

/** Resolves when the gateway has answered a message, so the handshake is decided. */
function open(port: number, header?: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const lines = [
      'GET /live HTTP/1.1',
      'Host: 127.0.0.1',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...(header === undefined ? [] : [header]),
    ];
    let received = '';
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.write(frame('{"event":"ping"}'));
    socket.once('error', reject);
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (received.includes('pong')) {
        socket.removeAllListeners('data');
        socket.resume();
        resolve(socket);
      }
    });
    socket.once('close', () => reject(new Error(`a socket was closed: ${received}`)));
  });
}

/** A masked text frame, whose mask changes nothing. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
