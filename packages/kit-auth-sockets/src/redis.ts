export type { RedisBusClient } from './bus/redis.wire.js';
export { KitAuthRedisBusModule } from './bus/redis-bus.module.js';
export type { KitAuthRedisBusOptions } from './bus/redis-bus.options.js';
