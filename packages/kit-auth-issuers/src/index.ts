export type { KitAuthIssuersOptions, KitAuthIssuersOptionsFactory } from './config/issuers.options.js';
export type {
  ClaimsMapping,
  Issuer,
  JsonWebKeySet,
  TokenClaims,
  UserOfClaims,
} from './contract/issuer.options.js';
export { KitAuthIssuersModule } from './kit-auth-issuers.module.js';
