export type { RedisCommands } from './stores/redis.connection.js';
export { RedisSessionStore, type RedisSessionStoreOptions } from './stores/redis.session-store.js';
