import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import type { BusMessage, Wire, WireEvents } from './wire.js';

/** Notifies all texts at once. */
const NOTIFY =
  'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS sent(channel, payload)';

export class PostgresWire implements Wire {
  /** Its own socket, because a client cannot close one whose server is silent. */
  private readonly socket = new Socket();
  private readonly client: Client;

  constructor(type: typeof Client, config: ClientConfig) {
    this.client = new type({ ...config, stream: () => this.socket });
  }

  async open(channels: readonly string[], { heard, lost }: WireEvents): Promise<void> {
    const { client } = this;
    client.on('error', lost);
    client.on('end', () => lost(new Error('the connection was closed')));
    client.on('notification', ({ channel, payload }) => heard(channel, payload ?? ''));
    await client.connect();
    await client.query(channels.map((channel) => `LISTEN ${client.escapeIdentifier(channel)}`).join('; '));
  }

  send(messages: readonly BusMessage[]): Promise<unknown> {
    return this.client.query(NOTIFY, [
      messages.map(([channel]) => channel),
      messages.map(([, text]) => text),
    ]);
  }

  close(): void {
    this.socket.destroy();
  }
}
