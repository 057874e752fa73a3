export type { KitAuthKeysOptions, KitAuthKeysOptionsFactory } from './config/keys.options.js';
export { KitAuthKeysModule } from './kit-auth-keys.module.js';
