import type { OidcProvider } from 'kit-auth-oidc';

export const CLIENT_ID = 'kit-auth-demo';
const NAME = 'demo';
/** The path to which the provider sends browsers back. */
export const CALLBACK = `/v1/api/auth/oidc/${NAME}/callback`;

/** The path that ends logins for the provider. */
export const BACK_CHANNEL = `/v1/api/auth/oidc/${NAME}/backchannel-logout`;

/** The demo provider, as kit-auth knows it. */
export function providerAt(issuer: string, clientSecret: string): OidcProvider {
  return { name: NAME, title: 'the demo provider', issuer, clientId: CLIENT_ID, clientSecret };
}
