import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import {
  AUTH_CREDENTIAL,
  AUTH_MESSAGES,
  AuthErrorCode,
  AuthException,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import { ActiveLogins, CommandHooks, declareReasons, RouteRules } from 'kit-auth/extend';
import { CarriedCredential } from './carrying/carried.credential.js';
import { CarriedTokens } from './carrying/carried.tokens.js';
import { CarriedUsers } from './carrying/carried.users.js';
import { UserCarrier } from './carrying/user.carrier.js';
import { jobsOptions, type KitAuthJobsOptions } from './config/jobs.options.js';
import { checkHandlers, messageControllers } from './handlers/carried.handlers.js';
import { messageInterceptor } from './messages/message.interceptor.js';
import { RpcMessages } from './messages/rpc.messages.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthJobsOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * The user in jobs and messages: carries the current user to workers and microservices, signed and for a limited time.
 * Import it once, with `forRoot()` or `forRootAsync()`, in the applications that send and in those that receive.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthJobsModule.forRoot({ keys: [process.env.JOBS_KEY], audiences: { reports: { hours: 24 } } }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  providers: [
    jobsOptions.provider(MODULE_OPTIONS_TOKEN),
    CarriedTokens,
    CarriedUsers,
    UserCarrier,
    CarriedCredential,
    { provide: AUTH_CREDENTIAL, useExisting: CarriedCredential },
    RpcMessages,
    { provide: AUTH_MESSAGES, useExisting: RpcMessages },
    {
      // While the application is created, because connectMicroservice() registers handlers before init(). Interceptors
      // of APP_INTERCEPTOR are not called in hybrid applications without inheritAppConfig, and delay HTTP requests.
      provide: Symbol.for('kit-auth-jobs.interceptors'),
      useFactory: (modules: ModulesContainer) => messageControllers(modules).forEach(intercept),
      inject: [ModulesContainer],
    },
    declareReasons({
      [AuthErrorCode.TOKEN_INVALID]: [
        'malformed',
        'signature',
        'expired',
        'audience',
        'name',
        'data',
        'logged-out',
        'disabled',
      ],
    }),
  ],
  exports: [UserCarrier],
})
export class KitAuthJobsModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly logins: ActiveLogins,
    private readonly tokens: CarriedTokens,
    private readonly modules: ModulesContainer,
    private readonly rules: RouteRules,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthJobsOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException for decorators that cannot work, and for audiences that need logins where none are known */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.core.enabled) {
      return;
    }
    checkHandlers(this.modules, this.rules, this.tokens.names());
    const needy = this.tokens.names().find((name) => this.tokens.audience(name).needsLogin === true);
    if (needy !== undefined && !(await this.canAskLogins())) {
      throw new IllegalStateException(
        `kit.auth.jobs.audiences: needsLogin of ${needy} cannot be checked, because no module knows which logins are live. ` +
          "Import KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of 'kit-auth-session' with stored sessions.",
      );
    }
  }

  /** Asks for a login that nobody has. */
  private async canAskLogins(): Promise<boolean> {
    try {
      await this.logins.liveIdOf(0, '');
      return true;
    } catch (error) {
      return !(error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED);
    }
  }
}

/** Adds the interceptor to all handlers of a class, before those of the application. */
function intercept(type: Type): void {
  const present = (Reflect.getMetadata(INTERCEPTORS_METADATA, type) as unknown[] | undefined) ?? [];
  if (!present.includes(messageInterceptor)) {
    Reflect.defineMetadata(INTERCEPTORS_METADATA, [messageInterceptor, ...present], type);
  }
}
