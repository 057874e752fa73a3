import type { refreshApi } from './refresh.api.js';

/** The endpoints, for clients with types. */
export type RefreshApi = typeof refreshApi;
export type { LoginMembers } from './refresh.api.js';
