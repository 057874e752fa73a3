import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Logger,
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
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  LOGIN_STEP,
} from 'kit-auth';
import {
  ActiveProvider,
  ActiveUserStore,
  AUTH_OPERATIONS,
  CommandHooks,
  declareReasons,
  Factors,
  FreshOptionsModule,
  Ports,
} from 'kit-auth/extend';
import { OneTimeModule } from 'kit-auth/one-time';
import { SecondFactorModule, SecondFactorStep } from 'kit-auth/second-factor';
import { OwnPasskeys } from './account/own-passkeys.js';
import { Registration } from './account/registration.js';
import { Removal } from './account/removal.js';
import { PasskeyAdministration } from './administration/passkey.administration.js';
import { PasskeyCleanup } from './administration/passkey.cleanup.js';
import { PasskeyRemovals } from './administration/passkey.removals.js';
import { UserPasskeys } from './account/user-passkeys.js';
import { Ceremonies } from './ceremonies/ceremonies.js';
import { PasskeyCheck } from './ceremonies/passkey.check.js';
import { WebAuthn } from './ceremonies/web-authn.js';
import { PasskeysListCommand } from './command-line/passkeys-list.command.js';
import { PasskeysRemoveCommand } from './command-line/passkeys-remove.command.js';
import { type KitAuthPasskeysOptions, passkeysOptions } from './config/passkeys.options.js';
import { RelyingParty } from './config/relying-party.js';
import { KitAuthConfirmingController } from './endpoints/confirming.controller.js';
import { KitAuthLoginPasskeyController } from './endpoints/login-passkey.controller.js';
import { KitAuthPasskeysController } from './endpoints/passkeys.controller.js';
import { KitAuthRelatedOriginsController } from './endpoints/related-origins.controller.js';
import { KitAuthUserPasskeysController } from './endpoints/user-passkeys.controller.js';
import { PasskeyLimits } from './login/passkey.limits.js';
import { PasskeyLogin } from './login/passkey.login.js';
import { passkeyOperations } from './operations.js';
import { PasskeyConfirmation } from './second-factor/passkey-confirmation.js';
import { PasskeyFactor } from './second-factor/passkey.factor.js';
import { PasskeysStoreModule } from './stores/passkeys-store.module.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthPasskeysOptions>().setClassMethodName('forRoot').build();

/**
 * Passkeys: users log in with a fingerprint, a face or the PIN of a device, without a password. Import it once, with
 * `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  imports: [OneTimeModule, SecondFactorModule, FreshOptionsModule, PasskeysStoreModule],
  controllers: [
    KitAuthLoginPasskeyController,
    KitAuthConfirmingController,
    KitAuthPasskeysController,
    KitAuthUserPasskeysController,
    KitAuthRelatedOriginsController,
  ],
  providers: [
    passkeysOptions.provider(MODULE_OPTIONS_TOKEN),
    RelyingParty,
    WebAuthn,
    Ceremonies,
    PasskeyCheck,
    PasskeyLimits,
    PasskeyLogin,
    PasskeyFactor,
    { provide: AUTH_FACTOR, useExisting: PasskeyFactor },
    { provide: LOGIN_STEP, useExisting: SecondFactorStep },
    PasskeyConfirmation,
    OwnPasskeys,
    Registration,
    Removal,
    UserPasskeys,
    PasskeyRemovals,
    PasskeyAdministration,
    PasskeyCleanup,
    { provide: AUTH_EVENT_SINK, useExisting: PasskeyCleanup },
    { provide: AUTH_OPERATIONS, useValue: passkeyOperations },
    PasskeysListCommand,
    PasskeysRemoveCommand,
    {
      provide: AUTH_COMMAND,
      useFactory: (...commands: AuthCommand[]) => commands,
      inject: [PasskeysListCommand, PasskeysRemoveCommand],
    },
    declareReasons({
      [AuthErrorCode.BAD_REQUEST]: ['not-discoverable'],
      [AuthErrorCode.TOKEN_INVALID]: ['revoked'],
      [AuthErrorCode.FACTOR_FAILED]: ['challenge-ended'],
      [AuthErrorCode.CONFLICT]: ['last'],
    }),
  ],
  exports: [UserPasskeys],
})
export class KitAuthPasskeysModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationBootstrap
{
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly ports: Ports,
    private readonly factors: Factors,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthPasskeysOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the user store lacks a method, or the module is imported twice */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.ports.requireOneImport(KitAuthPasskeysModule);
      this.users.require('kit-auth-passkeys', 'stampOf');
    }
  }

  /** @throws IllegalStateException when tokens do not record which factors the login used */
  onApplicationBootstrap(): void {
    if (!this.core.enabled) {
      return;
    }
    if (this.provider.get().keepsProof !== true) {
      throw new IllegalStateException(
        `kit-auth-passkeys cannot be used with ${this.provider.get().extensionName}: its tokens do not record how the ` +
          'user logged in. Use an implementation that keeps the proof (keepsProof), such as kit-auth-jwt or kit-auth-session.',
      );
    }
    if (!this.factors.names().includes('recovery')) {
      new Logger('KitAuth').warn('[passkeys] a user who loses every passkey needs an administrator');
    }
  }
}
