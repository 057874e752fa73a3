export { KitAuthPostgresBusModule } from './bus/postgres-bus.module.js';
export type {
  KitAuthPostgresBusOptions,
  KitAuthPostgresBusOptionsFactory,
} from './bus/postgres-bus.options.js';
