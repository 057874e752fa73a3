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
  AUTH_EVENT_SINK,
  AUTH_FACTOR,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  LOGIN_STEP,
} from 'kit-auth';
import { ActiveProvider, ActiveUserStore, AUTH_OPERATIONS, CommandHooks, Ports } from 'kit-auth/extend';
import { SecondFactorModule, SecondFactorStep } from 'kit-auth/second-factor';
import { FactorCleanup } from './administration/factor.cleanup.js';
import { FactorReset } from './administration/factor.reset.js';
import { UserFactors } from './administration/user-factors.js';
import { factorsOptions, type KitAuthFactorsOptions } from './config/factors.options.js';
import { KitAuthFactorsController } from './endpoints/factors.controller.js';
import { KitAuthUserFactorsController } from './endpoints/user-factors.controller.js';
import { CodeFactors } from './codes/code.factors.js';
import { RecoveryRenewal } from './account/recovery.renewal.js';
import { factorOperations } from './operations.js';
import { FactorsStoreModule } from './stores/factors-store.module.js';
import { DeviceCodes } from './codes/device.codes.js';
import { Enrolment } from './account/enrolment.js';
import { Removal } from './account/removal.js';
import { SecretSealer } from './totp/secret.sealer.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthFactorsOptions>().setClassMethodName('forRoot').build();

/**
 * A second factor: codes of authenticator apps, and recovery codes. Users who have added one need it at every login.
 * Import it once, with `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthFactorsModule.forRoot({ keys: [process.env.FACTOR_KEY], issuer: 'App', requiredFor: ['admin'] }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  imports: [SecondFactorModule, FactorsStoreModule],
  controllers: [KitAuthFactorsController, KitAuthUserFactorsController],
  providers: [
    factorsOptions.provider(MODULE_OPTIONS_TOKEN),
    SecretSealer,
    DeviceCodes,
    CodeFactors,
    { provide: AUTH_FACTOR, useExisting: CodeFactors },
    { provide: LOGIN_STEP, useExisting: SecondFactorStep },
    Enrolment,
    Removal,
    RecoveryRenewal,
    UserFactors,
    FactorReset,
    FactorCleanup,
    { provide: AUTH_EVENT_SINK, useExisting: FactorCleanup },
    { provide: AUTH_OPERATIONS, useValue: factorOperations },
  ],
  exports: [UserFactors],
})
export class KitAuthFactorsModule
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
  static override forRoot(options: KitAuthFactorsOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the user store lacks a method, or the module is imported twice */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.ports.requireOneImport(KitAuthFactorsModule);
      this.users.require('kit-auth-factors', 'findByUsername', 'stampOf');
    }
  }

  /** @throws IllegalStateException when tokens do not record which factors the login used */
  onApplicationBootstrap(): void {
    if (this.core.enabled && this.provider.get().keepsProof !== true) {
      throw new IllegalStateException(
        `kit-auth-factors cannot be used with ${this.provider.get().extensionName}: its tokens do not record how the ` +
          'user logged in. Use an implementation that keeps the proof (keepsProof), such as kit-auth-jwt or kit-auth-session.',
      );
    }
  }
}
