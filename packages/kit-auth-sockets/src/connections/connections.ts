import { Injectable } from '@nestjs/common';
import type { MessageContext } from 'kit-auth/extend';
import type { Connection } from './connection.js';

/** Finds the connections of clients. */
@Injectable()
export class Connections {
  private readonly byClient = new WeakMap<object, Connection>();
  private readonly byContext = new WeakMap<MessageContext, Connection>();

  note(connection: Connection): void {
    this.byClient.set(connection.client as object, connection);
    this.byContext.set(connection.context, connection);
  }

  of(client: object): Connection | undefined {
    return this.byClient.get(client);
  }

  ofContext(context: MessageContext): Connection | undefined {
    return this.byContext.get(context);
  }
}
