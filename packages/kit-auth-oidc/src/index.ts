export { UserIdentities } from './identities/user-identities.js';
export { KitAuthOidcModule } from './kit-auth-oidc.module.js';
export type { IdentityInfo } from './oidc.api.js';
export type { KitAuthOidcOptions, OnExternalLogin, SignUp, SignUpPolicy } from './oidc.options.js';
export type { ExternalIdentity, ProviderTokens } from './providers/external-identity.js';
export { github, google, microsoft } from './providers/presets.js';
export type {
  ClientAuthMethod,
  OAuth2Endpoints,
  OAuth2Profile,
  OidcProvider,
  ProviderFetch,
} from './providers/provider.options.js';
