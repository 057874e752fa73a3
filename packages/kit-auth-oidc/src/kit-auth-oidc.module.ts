import { AuthErrorCode } from 'kit-auth';
import { AUTH_IDENTITIES, authFeature } from 'kit-auth/feature';
import { OneTimeModule } from 'kit-auth/store';
import { KitAuthOidcCallbackController } from './callback/callback.controller.js';
import { Callbacks } from './callback/callback.js';
import { CodeExchange } from './callback/code.exchange.js';
import { IdentityFactor, TrustedIdentityFactor } from './identities/identity.factor.js';
import { IdentityLogin } from './identities/identity.login.js';
import { ownedIdentities } from './identities/owned-identities.js';
import { UserIdentities } from './identities/user-identities.js';
import { OidcLimits } from './limits.js';
import { OidcConfirmation } from './link/confirmation.js';
import { Initiators } from './link/initiators.js';
import { LinkOrConfirmation } from './link/link-or-confirmation.js';
import { BackChannelLogout } from './logout/back-channel.logout.js';
import { KitAuthOidcLogoutController } from './logout/logout.controller.js';
import { ProviderLogout } from './logout/provider.logout.js';
import { Navigation } from './navigation.js';
import { oidcApi } from './oidc.api.js';
import { type KitAuthOidcOptions, oidcOptions } from './oidc.options.js';
import { Discovery } from './providers/discovery.js';
import { LogoutTokens } from './providers/logout-tokens.js';
import { OpenIdConnections } from './providers/openid.connections.js';
import { ProviderConnections } from './providers/provider.connections.js';
import { Providers } from './providers/providers.js';
import { AccountAddresses } from './sign-up/account.addresses.js';
import { SignUpRules } from './sign-up/sign-up.rules.js';
import { SignUps } from './sign-up/sign-ups.js';
import { Attempts, BrowserCookies } from './start/attempts.js';
import { Destinations } from './start/destinations.js';
import { KitAuthOidcStartController } from './start/start.controller.js';
import { OidcStart } from './start/start.js';
import { IdentityStore } from './stores/identity.store.js';
import { ProviderLogins } from './stores/provider-logins.js';

/**
 * Logins with Google, Microsoft, GitHub and other OpenID Connect providers. Import it once, with `forRoot()` or
 * `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthOidcModule.forRoot({
 *       providers: [google({ clientId: process.env.GOOGLE_ID, clientSecret: process.env.GOOGLE_SECRET })],
 *       redirectBase: 'https://api.example.com',
 *       returnTo: ['https://app.example.com/login'],
 *     }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthOidcModule extends authFeature<KitAuthOidcOptions>('kit-auth-oidc', {
  isGlobal: true,
  options: oidcOptions,
  needs: { proof: true, store: ['stampOf'] },
  reasons: {
    [AuthErrorCode.TOKEN_INVALID]: ['disabled', 'provider-logout'],
    [AuthErrorCode.EXTERNAL_LOGIN_FAILED]: [
      'denied',
      'state',
      'provider',
      'unverified',
      'no-account',
      'not-allowed',
    ],
    [AuthErrorCode.FRESH_LOGIN_REQUIRED]: ['expired'],
    [AuthErrorCode.CONFLICT]: ['limit', 'taken', 'link', 'last'],
  },
  endpoints: oidcApi,
  owned: ownedIdentities,
  steps: [IdentityLogin],
  factors: [IdentityFactor, TrustedIdentityFactor],
  sinks: [CodeExchange],
  imports: [OneTimeModule],
  controllers: [KitAuthOidcStartController, KitAuthOidcCallbackController, KitAuthOidcLogoutController],
  providers: [
    Providers,
    Discovery,
    LogoutTokens,
    { provide: ProviderConnections, useClass: OpenIdConnections },
    Destinations,
    BrowserCookies,
    Attempts,
    OidcLimits,
    Navigation,
    OidcStart,
    Callbacks,
    AccountAddresses,
    SignUpRules,
    SignUps,
    Initiators,
    OidcConfirmation,
    LinkOrConfirmation,
    UserIdentities,
    BackChannelLogout,
    ProviderLogout,
    IdentityStore,
    ProviderLogins,
    { provide: AUTH_IDENTITIES, useExisting: IdentityStore },
  ],
  exports: [UserIdentities],
}) {}
