import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import * as schema from './schema.js';

export const DATABASE = Symbol('database');

export type Database = NodePgDatabase<typeof schema> & { $client: Pool };
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

@Global()
@Module({
  providers: [
    {
      provide: DATABASE,
      useFactory: (): Database =>
        drizzle({
          connection: { connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 },
          schema,
        }),
    },
  ],
  exports: [DATABASE],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly db: Database) {
    // Without a listener, the loss of an idle connection would end the process.
    db.$client.on('error', ({ message }) => new Logger('Database').warn(message));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.db.$client.end();
  }
}
