import { Injectable } from '@nestjs/common';
import { AuthEvents } from 'kit-auth';
import { MessageContexts } from 'kit-auth/login';
import { noteSocket } from 'kit-auth/tools';
import type { ServerRule, SocketVia } from './handshake.js';
import type { Connection } from './connection.js';
import { endOf, type SocketEnd } from './socket-end.js';

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** A handshake was refused. */
    'socket-refused': true;
    /** A socket was closed: its login has ended, or its user no longer meets the requirements. Not stored. */
    'socket-closed': true;
  }
}

/** Publishes what happens to sockets. */
@Injectable()
export class SocketReports {
  constructor(
    private readonly events: AuthEvents,
    private readonly contexts: MessageContexts,
  ) {}

  opened({ via }: Connection): void {
    noteSocket(via, 'opened');
  }

  /** Call it once, when a connection is over. */
  closed({ via, end, lastPrincipal, rule }: Connection): void {
    noteSocket(via, 'closed', end?.reason);
    if (end !== undefined) {
      const detail = `${rule.name}: ${end.reason}`;
      this.contexts.run(lastPrincipal, undefined, () =>
        this.events.begin().note({ type: 'socket-closed', success: true, detail, kept: false }),
      );
    }
  }

  /** @param error why the handshake failed */
  refused(via: SocketVia, rule: ServerRule, error: unknown): SocketEnd {
    const end = endOf(error);
    noteSocket(via, 'refused', end.reason);
    if (end.code !== 1013) {
      const handler = `${rule.name}: ${end.reason}`;
      this.events.begin().note({ type: 'socket-refused', success: false, detail: handler, handler });
    }
    return end;
  }
}
