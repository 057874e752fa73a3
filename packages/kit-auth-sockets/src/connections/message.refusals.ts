import { Injectable } from '@nestjs/common';
import type { Connection } from './connection.js';
import { SocketRegistry } from './socket.registry.js';

const MAX_IN_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Closes sockets whose messages are refused again and again. */
@Injectable()
export class MessageRefusals {
  private readonly counts = new WeakMap<Connection, { since: number; count: number }>();

  constructor(private readonly registry: SocketRegistry) {}

  note(connection: Connection): void {
    const now = Date.now();
    const known = this.counts.get(connection);
    const current = known !== undefined && now - known.since < MINUTE_MS ? known : { since: now, count: 0 };
    this.counts.set(connection, current);
    if (++current.count >= MAX_IN_A_MINUTE) {
      void this.registry.end([connection], { code: 4429, reason: 'too-many-refusals' });
    }
  }
}
