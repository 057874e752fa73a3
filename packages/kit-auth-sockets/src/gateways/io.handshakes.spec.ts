import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { IoHandshakes } from './io.handshakes.js';

it.each([
  ['before it is in its namespace', (client: FakeClient) => client.conn.emit('close')],
  ['after', (client: FakeClient) => client.emit('disconnect')],
])('a client of Socket.IO that leaves %s is counted no more', async (_when, leave) => {
  const removed: unknown[] = [];
  const connection = { isOver: false };
  let decide: ((client: object, next: (error?: Error) => void) => void) | undefined;
  const handshakes = new IoHandshakes(
    { whileWaiting: (work: () => unknown) => work(), admit: async () => connection } as never,
    { note: () => undefined } as never,
    { remove: (one: unknown) => void removed.push(one) } as never,
    ...([undefined, undefined, undefined, undefined] as unknown as [never, never, never, never]),
    { settings: { from: [] } } as never,
  );
  handshakes.guard(
    { use: (middleware: typeof decide) => (decide = middleware) } as never,
    () => ({}) as never,
  );
  const client = new FakeClient();
  expect(await new Promise<unknown>((next) => decide?.(client, next))).toBeUndefined();
  expect(removed).toEqual([]);
  leave(client);
  expect(removed).toEqual([connection]);
});

class FakeClient extends EventEmitter {
  readonly conn = new EventEmitter();
}
