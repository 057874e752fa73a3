export { AllowKeys } from './allow-keys.decorator.js';
export type { KitAuthKeysOptions, KitAuthKeysOptionsFactory } from './config/keys.options.js';
export { KitAuthKeysModule } from './kit-auth-keys.module.js';
export type { IssuedKey } from './keys/api-keys.js';
export type { KeyInfo } from './stores/stored-key.js';
