import type { keysApi } from './keys.api.js';
import type { ownedKeys } from './owned-keys.js';

/** The endpoints, for clients with types. */
export type KeysApi = typeof keysApi & typeof ownedKeys.api;
