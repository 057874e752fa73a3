export { type PasskeyInfo, UserPasskeys } from './account/user-passkeys.js';
export type { KitAuthPasskeysOptions, KitAuthPasskeysOptionsFactory } from './config/passkeys.options.js';
export { KitAuthPasskeysModule } from './kit-auth-passkeys.module.js';
