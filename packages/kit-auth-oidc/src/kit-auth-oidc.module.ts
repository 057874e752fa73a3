import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AuthErrorCode,
  AUTH_COMMAND,
  AUTH_EVENT_SINK,
  AUTH_FACTOR,
  type AuthCommand,
  type Factor,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  LOGIN_STEP,
} from 'kit-auth';
import {
  ActiveProvider,
  ActiveUserStore,
  AUTH_IDENTITIES,
  AUTH_OPERATIONS,
  CommandHooks,
  declareReasons,
  Ports,
} from 'kit-auth/extend';
import { OneTimeModule } from 'kit-auth/one-time';
import { IdentityAdministration } from './administration/identity.administration.js';
import { IdentityCleanup } from './administration/identity.cleanup.js';
import { IdentityRemovals } from './administration/identity.removals.js';
import { Attempts } from './attempts/attempts.js';
import { BrowserCookies } from './attempts/browser-cookies.js';
import { Destinations } from './attempts/destinations.js';
import { OidcLimits } from './attempts/limits.js';
import { IdentitiesListCommand } from './command-line/identities-list.command.js';
import { IdentitiesRemoveCommand } from './command-line/identities-remove.command.js';
import { type KitAuthOidcOptions, oidcOptions } from './config/oidc.options.js';
import { Providers } from './config/providers.js';
import { KitAuthBackChannelController } from './endpoints/back-channel.controller.js';
import { KitAuthIdentitiesController } from './endpoints/identities.controller.js';
import { Navigation } from './endpoints/navigation.js';
import { KitAuthOidcAccountController } from './endpoints/oidc-account.controller.js';
import { KitAuthOidcController } from './endpoints/oidc.controller.js';
import { KitAuthUserIdentitiesController } from './endpoints/user-identities.controller.js';
import { Linking } from './identities/linking.js';
import { OwnIdentities } from './identities/own-identities.js';
import { UserIdentities } from './identities/user-identities.js';
import { AskingLogins } from './login/asking.logins.js';
import { Callbacks } from './login/callbacks.js';
import { Codes } from './login/codes.js';
import { OidcConfirmation } from './login/confirmation.js';
import { ContinuedLogins } from './login/continued.logins.js';
import { CodeExchange } from './login/exchanges.js';
import { ExternalLogins } from './login/external.logins.js';
import { KnownAddresses } from './login/known.addresses.js';
import { IdentityFactor, TrustedIdentityFactor } from './login/identity.factor.js';
import { OidcStep } from './login/oidc.step.js';
import { SignUpRules } from './login/sign-up.rules.js';
import { SignUps } from './login/sign-ups.js';
import { OidcStart } from './login/start.js';
import { BackChannelLogout } from './logout/back-channel.logout.js';
import { ProviderLogout } from './logout/provider.logout.js';
import { oidcOperations } from './operations.js';
import { Discovery } from './provider/discovery.js';
import { LogoutTokens } from './provider/logout-tokens.js';
import { OpenIdConnections } from './provider/openid.connections.js';
import { ProviderConnections } from './provider/provider.connections.js';
import { IdentitiesStoreModule } from './stores/identities-store.module.js';
import { IdentityStore } from './stores/identity.store.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthOidcOptions>()
  .setClassMethodName('forRoot')
  .build();

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
@CommandHooks()
@Global()
@Module({
  imports: [OneTimeModule, IdentitiesStoreModule],
  controllers: [
    KitAuthOidcController,
    KitAuthOidcAccountController,
    KitAuthBackChannelController,
    KitAuthIdentitiesController,
    KitAuthUserIdentitiesController,
  ],
  providers: [
    oidcOptions.provider(MODULE_OPTIONS_TOKEN),
    Providers,
    Discovery,
    LogoutTokens,
    { provide: ProviderConnections, useClass: OpenIdConnections },
    BrowserCookies,
    Destinations,
    Attempts,
    OidcLimits,
    Navigation,
    OidcStart,
    Callbacks,
    Codes,
    CodeExchange,
    ExternalLogins,
    OidcConfirmation,
    AskingLogins,
    ContinuedLogins,
    KnownAddresses,
    SignUpRules,
    SignUps,
    Linking,
    UserIdentities,
    OwnIdentities,
    IdentityRemovals,
    IdentityAdministration,
    BackChannelLogout,
    ProviderLogout,
    OidcStep,
    { provide: LOGIN_STEP, useExisting: OidcStep },
    IdentityFactor,
    TrustedIdentityFactor,
    {
      provide: AUTH_FACTOR,
      useFactory: (...factors: Factor[]) => factors,
      inject: [IdentityFactor, TrustedIdentityFactor],
    },
    IdentityCleanup,
    { provide: AUTH_EVENT_SINK, useExisting: IdentityCleanup },
    { provide: AUTH_IDENTITIES, useExisting: IdentityStore },
    { provide: AUTH_OPERATIONS, useValue: oidcOperations },
    IdentitiesListCommand,
    IdentitiesRemoveCommand,
    {
      provide: AUTH_COMMAND,
      useFactory: (...commands: AuthCommand[]) => commands,
      inject: [IdentitiesListCommand, IdentitiesRemoveCommand],
    },
    declareReasons({
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
    }),
  ],
  exports: [UserIdentities],
})
export class KitAuthOidcModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationBootstrap
{
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly ports: Ports,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthOidcOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the user store lacks a method, or the module is imported twice */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.ports.requireOneImport(KitAuthOidcModule);
      this.users.require('kit-auth-oidc', 'stampOf');
    }
  }

  /** @throws IllegalStateException when tokens do not record which factors the login used */
  onApplicationBootstrap(): void {
    if (this.core.enabled && this.provider.get().keepsProof !== true) {
      throw new IllegalStateException(
        `kit-auth-oidc cannot be used with ${this.provider.get().extensionName}: its tokens do not record how the ` +
          'user logged in. Use an implementation that keeps the proof (keepsProof), such as kit-auth-jwt or kit-auth-session.',
      );
    }
  }
}
