import { IllegalStateException } from 'kit-auth';
import { MemorySessionStore } from './memory.session-store.js';

/** Replaces the database store in applications without a data source: start-up fails. */
export class NoDatabaseSessionStore extends MemorySessionStore {
  async open(): Promise<void> {
    throw new IllegalStateException(
      "KitAuthSessionModule: store 'database' needs a data source of TypeORM: import TypeOrmModule.forRoot(), without a name. " +
        "Without TypeORM, set kit.auth.session.store to 'memory', a RedisSessionStore or your own SessionStore.",
    );
  }
}
