export { KitAuthPostgresBusModule } from './bus/postgres-bus.module.js';
export type { KitAuthPostgresBusOptions } from './bus/postgres-bus.options.js';
