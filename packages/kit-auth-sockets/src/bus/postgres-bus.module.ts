import { Socket } from 'node:net';
import { IllegalStateException } from 'kit-auth';
import type { Client, ClientConfig } from 'pg';
import { busFeature } from './bus.feature.js';
import { type KitAuthPostgresBusOptions, postgresBusOptions } from './postgres-bus.options.js';
import type { BusMessage, Wire, WireEvents } from './server.bus.js';

/**
 * Connects the instances of an application through PostgreSQL, so that a login that ends on one of them closes its sockets on
 * all. The application also starts and works without the database. Then sockets are closed later, when they are checked again.
 *
 * Import it once, with `forRoot()` or `forRootAsync()`, or the class itself if the options are in the environment.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthSocketsModule,
 *     KitAuthPostgresBusModule.forRoot({ url: process.env.DATABASE_URL }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthPostgresBusModule extends busFeature<
  KitAuthPostgresBusOptions,
  typeof postgresBusOptions
>('kit-auth-sockets/postgres', 'PostgreSQL', postgresBusOptions, async ({ url, config }) => {
  const { Client: type } = await postgresPackage();
  return () => new PostgresWire(type, url === undefined ? { ...config } : { connectionString: url });
}) {}

async function postgresPackage() {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    throw new IllegalStateException('kit.auth.postgresBus needs the package pg: npm install pg.', { cause });
  }
}

/** Sends all messages with one statement. */
const NOTIFY =
  'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS sent(channel, payload)';

class PostgresWire implements Wire {
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
