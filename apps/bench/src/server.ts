import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Ready } from './measure/server-process.js';
import { type PeerName, PEERS } from './peers/index.js';
import type { Peer } from './peers/peer.js';

/** One application in a process of its own, which ends when the one that started it does. */
process.once('disconnect', () => process.exit());

const peer: Peer = await PEERS[process.argv[2] as PeerName]();
const { app } = peer;
await app.listen(0, '127.0.0.1');
const server = app.getHttpServer() as Server;
// Between its slices a server is idle for longer than the default.
server.keepAliveTimeout = 0;
const ready: Ready = {
  port: (server.address() as AddressInfo).port,
  startMilliseconds: performance.now(),
  headers: (await peer.logIn?.()) ?? [],
};
// As in a process that has been up for a while. Without it, Node's ticks cost a fifth of what they do in one that
// waited for something while it started: V8 forgets what it knew of objects that no garbage collection has found.
await setTimeout(200);
globalThis.gc?.();
await setTimeout(50);
process.send?.(ready);
process.on('message', (question: string) => {
  void peer.answers?.[question]?.().then((answer) => process.send?.(answer ?? null));
});
