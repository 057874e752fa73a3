import type { ownedPasskeys } from './account/owned-passkeys.js';
import type { passkeysApi } from './passkeys.api.js';

/** The endpoints, for clients with types. */
export type PasskeysApi = typeof passkeysApi & typeof ownedPasskeys.api;
