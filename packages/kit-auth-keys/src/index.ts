export { AllowKeys } from './allow-keys.decorator.js';
export { KitAuthKeysModule } from './kit-auth-keys.module.js';
export type { IssuedKey } from './keys/api-keys.js';
export type { KitAuthKeysOptions } from './keys.options.js';
export type { KeyInfo } from './keys.api.js';
