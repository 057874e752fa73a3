export { UserPasskeys } from './account/user-passkeys.js';
export { KitAuthPasskeysModule } from './kit-auth-passkeys.module.js';
export type { PasskeyInfo } from './passkeys.api.js';
export type { KitAuthPasskeysOptions } from './passkeys.options.js';
