import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { currentMessage } from 'kit-auth/login';
import type { Observable } from 'rxjs';
import { map } from 'rxjs/operators'; // `rxjs` itself exports operators since 7.2
import { type Connection, Connections, type OpenStream } from '../connections/connection.js';
import { GuardedEvents, isEvents } from './guarded.events.js';
import { Requirements } from '../checks/requirements.js';

/** Ends the events of a GraphQL subscription with the login of its user. The guard has admitted the operation. */
@Injectable()
export class SubscriptionEvents {
  constructor(
    private readonly connections: Connections,
    private readonly requirements: Requirements,
  ) {}

  /** @returns undefined for an operation over HTTP */
  around(context: ExecutionContext, next: CallHandler): Observable<unknown> | undefined {
    const current = currentMessage();
    const connection = current && this.connections.ofContext(current);
    return connection && next.handle().pipe(map((source) => this.guard(source, context, connection)));
  }

  private guard(source: unknown, context: ExecutionContext, connection: Connection): unknown {
    if (connection.isOver) {
      throw connection.refusal();
    }
    if (!isEvents(source)) {
      return source;
    }
    const { streams, request } = connection;
    const rule = this.requirements.ofStream(context, request);
    const events = new GuardedEvents(source, () => streams.delete(stream));
    const stream: OpenStream = { context, rule, stop: (error) => events.stop(error) };
    streams.add(stream);
    return events;
  }
}
