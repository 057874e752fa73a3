export type {
  KitAuthOidcOptions,
  KitAuthOidcOptionsFactory,
  OnExternalLogin,
} from './config/oidc.options.js';
export { github, google, microsoft } from './config/presets.js';
export type {
  ClientAuthMethod,
  OAuth2Endpoints,
  OAuth2Profile,
  OidcProvider,
  ProviderFetch,
} from './contract/provider.options.js';
export { type IdentityInfo, UserIdentities } from './identities/user-identities.js';
export { KitAuthOidcModule } from './kit-auth-oidc.module.js';
export type { SignUp, SignUpPolicy } from './contract/sign-up-policy.js';
export type { ExternalIdentity, ProviderTokens } from './contract/external-identity.js';
