import { IllegalStateException } from 'kit-auth';
import { MemorySessionStore } from './memory.session-store.js';

/** Stands in for the database store where the application has none: start-up fails. */
export class NoDatabaseSessionStore extends MemorySessionStore {
  async open(): Promise<void> {
    throw new IllegalStateException(
      "KitAuthSessionModule: store 'database' needs the default user store of KitAuthModule, with TypeORM. " +
        "With another user store, set store to 'memory', a RedisSessionStore or your own SessionStore.",
    );
  }
}
