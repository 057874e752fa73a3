export type { KitAuthIssuersOptions } from './issuers.options.js';
export type { ClaimsMapping, Issuer, JsonWebKeySet, TokenClaims, UserOfClaims } from './issuer.js';
export { KitAuthIssuersModule } from './kit-auth-issuers.module.js';
