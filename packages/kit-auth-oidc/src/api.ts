import type { ownedIdentities } from './identities/owned-identities.js';
import type { oidcApi } from './oidc.api.js';

/** The endpoints, for clients with types. */
export type OidcApi = typeof oidcApi & typeof ownedIdentities.api;
