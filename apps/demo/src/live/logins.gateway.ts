import { WebSocketGateway } from '@nestjs/websockets';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { SocketRegistry } from 'kit-auth-sockets';
import type { WebSocket } from 'ws';

const CHANGES: ReadonlySet<string> = new Set(['login', 'logout', 'sessions-ended', 'password-changed']);

/** Tells the pages of a user that the list of their logins has changed. The page of an ended login is disconnected. */
@WebSocketGateway({ path: '/v1/live' })
export class LoginsGateway implements AuthEventSink {
  constructor(private readonly sockets: SocketRegistry) {}

  async keep(): Promise<void> {}

  committed({ type, subjectId }: AuthEvent): void {
    if (subjectId !== null && CHANGES.has(type)) {
      this.sockets
        .ofUser(subjectId)
        .forEach(({ client }) => (client as WebSocket).send('{"event":"logins"}'));
    }
  }
}
