export {
  type RedisCommands,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from './stores/redis.session-store.js';
