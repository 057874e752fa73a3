import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { Connections } from '../connections/connection.js';
import { IoHandshakes } from './io.handshakes.js';

it.each([
  ['before it is in its namespace', (client: FakeClient) => client.conn.emit('close')],
  ['after', (client: FakeClient) => client.emit('disconnect')],
])('a client of Socket.IO that leaves %s is counted no more', async (_when, leave) => {
  const removed: unknown[] = [];
  const client = new FakeClient();
  const connection = { client, isOver: false, context: {} };
  let decide: ((client: object, next: (error?: Error) => void) => void) | undefined;
  const handshakes = new IoHandshakes(
    { whileWaiting: (work: () => unknown) => work(), admit: async () => connection } as never,
    new Connections(),
    { remove: (one: unknown) => void removed.push(one) } as never,
    ...([undefined, undefined, undefined] as unknown as [never, never, never]),
    { settings: { from: [], maxPerUser: 100 } } as never,
  );
  handshakes.guard(
    { use: (middleware: typeof decide) => (decide = middleware) } as never,
    () => ({}) as never,
  );
  expect(await new Promise<unknown>((next) => decide?.(client, next))).toBeUndefined();
  expect(removed).toEqual([]);
  leave(client);
  expect(removed).toEqual([connection]);
});

class FakeClient extends EventEmitter {
  readonly conn = new EventEmitter();
}
