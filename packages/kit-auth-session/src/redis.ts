export type { RedisCommands } from './stores/redis.client.js';
export type { IoredisClient } from './stores/redis.ioredis-client.js';
export { RedisSessionStore, type RedisSessionStoreOptions } from './stores/redis.session-store.js';
